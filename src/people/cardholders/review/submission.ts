import type { Tx } from '../../../kernel/db/database';
import { Problem } from '../../../kernel/errors';
import type { ApplicationDocument } from '../../../parties/cardholder-review/port';
import type { ReviewWord } from '../../../parties/cardholder-review/word';
import { DocumentUnreadable } from '../../../parties/documents/port';
import { advanceOrder, recordReport } from '../../../parties/orders/advance';
import type { OrderKind } from '../../../parties/orders/kind';
import { partyOrders } from '../../../parties/orders/party-orders';
import { PartyStopped } from '../../../process/party-errors';
import { assertOrders } from '../../../process/switches/switches';
import { documentContent, requireDocument } from '../../kyc/documents/documents';
import { personOf } from '../../users/operations';
import { recordFieldsOf, requireApplicant } from '../applicant';
import type { CorrectedMeta } from '../fields/validate';
import { requireCardholder } from '../operations';
import type { Cardholder } from '../record';
import type { CardholderServices } from '../services';
import { findCardholder, lockRow, setDueBy, setSubmissionSent } from '../store';
import { applyTransition, lockWithUser, save } from '../transition';
import { submission } from '../workflows';

/**
 * The order that submits a cardholder to the reviewer, with its user's present meta and documents. Each submission has
 * its own key.
 */
export const submissionOrder: OrderKind<CardholderServices, Cardholder, ReviewWord> = {
  party: 'cardholderReview',
  callbacks: '/callbacks/cardholder-review',
  process: submission,
  keys: /^submission-(\w+)-\d{1,9}$/,
  keyOf: ({ id, submissions }) => `submission-${id}-${submissions}`,
  find: (sql, id) => findCardholder(sql, null, id),
  async lock(tx, id) {
    await lockRow(tx, id);
    return findCardholder(tx, null, id);
  },
  isOpen: ({ status }) => status === 'wait_audit',
  status: ({ status }) => status,
  ask: ({ parties }, _, key) => parties.cardholderReview.outcome(key),
  async prepare(services, { id, bin }, order) {
    const built = await build(services, id);
    if ('problem' in built) return refusal(built.problem);
    try {
      const { cardholder, person } = built;
      const documents = await Promise.all(
        cardholder.documents.map((each) => read(services, cardholder, each)),
      );
      // Checked again, because reading the documents may have taken long.
      await assertOrders(services, 'cardholderReview');
      const application = { ...order, cardholderId: id, bin, person, documents };
      return () => services.parties.cardholderReview.submit(application);
    } catch (error) {
      if (!(error instanceof DocumentUnreadable)) throw error;
      return refusal('A document of the user cannot be read.');
    }
  },
  // An earlier attempt may have reached the reviewer even if this one did not, so the mark is never removed.
  intend: async (sql, cardholder, mayHaveIt) =>
    mayHaveIt || !cardholder.submissionSent ? setSubmissionSent(sql, cardholder, mayHaveIt) : true,
  refused: (code) => refusal(`The provider has refused the data: ${code}.`),
  conclude: concludeSubmission,
};

/** All kinds of orders for the reviewer. */
export const reviewOrders = partyOrders('cardholderReview', [submissionOrder]);

/** The end of a submission without a review. */
const refusal = (reason: string): ReviewWord => ({ status: 'refused', reason });

/** Longer than the pause between two attempts of a step. */
const ATTEMPTS_MS = 10 * 60_000;

/**
 * Takes a step of a cardholder's submission. A stopped reviewer counts as one without an answer, because no attempt has
 * failed.
 * @param dueBy when the workflow will ask again
 * @throws PartyAway nothing was submitted
 */
export async function submitToParty(services: CardholderServices, id: string, dueBy: Date): Promise<string> {
  const attempted = services.now().getTime() + ATTEMPTS_MS;
  await setDueBy(services.database, id, new Date(Math.max(attempted, dueBy.getTime())));
  try {
    return await advanceOrder(services, submissionOrder, id);
  } catch (error) {
    if (error instanceof PartyStopped) return 'unknown';
    throw error;
  }
}

/** Ends a submission whose attempts are used up, unless the reviewer may have received it. */
export async function giveUpSubmission(services: CardholderServices, id: string): Promise<string> {
  const cardholder = await requireCardholder(services.database, null, id);
  if (!submissionOrder.isOpen(cardholder)) return cardholder.status;
  if (cardholder.submissionSent) return 'unknown';
  return recordReport(services, submissionOrder, cardholder, refusal('The provider could not be reached.'));
}

type Built = { cardholder: Cardholder; person: CorrectedMeta } | { problem: string };

/**
 * The data of a submission. Data that breaks the rules is not submitted, because the client may have changed it since.
 */
async function build(services: CardholderServices, id: string): Promise<Built> {
  try {
    return await services.database.transaction(async (tx) => {
      const { cardholder, user } = await lockWithUser(tx, null, id);
      if (!submissionOrder.isOpen(cardholder)) return { problem: 'The submission has ended.' };
      if (!user) return { problem: 'The cardholder has no linked user.' };
      const { person, documents } = await requireApplicant(
        tx,
        services,
        personOf(services, user),
        cardholder,
      );
      const fields = recordFieldsOf(services, user, person);
      return { cardholder: await save(tx, { ...cardholder, ...fields, documents }), person };
    });
  } catch (error) {
    if (!(error instanceof Problem && (error.status === 400 || error.status === 412))) throw error;
    return { problem: error.message };
  }
}

async function read(
  services: CardholderServices,
  { userId }: Cardholder,
  { slot, documentId }: Cardholder['documents'][number],
): Promise<ApplicationDocument> {
  const document = await requireDocument(services.database, null, userId ?? '', documentId);
  const { contentType } = document;
  return { slot, contentType, content: await documentContent(services, document) };
}

/** The transition of each decision, and the description for the client when the reviewer gives no reason. */
const DECISIONS = {
  passed: { on: 'party_passed', description: null },
  rejected: { on: 'party_rejected', description: 'The provider has rejected the application.' },
  refused: { on: 'submission_failed', description: 'The provider has refused the data.' },
} as const;

async function concludeSubmission(
  { now }: Pick<CardholderServices, 'now'>,
  tx: Tx,
  cardholder: Cardholder,
  { status, reason }: ReviewWord & { status: keyof typeof DECISIONS },
): Promise<void> {
  const { on, description } = DECISIONS[status];
  const reviewed = status === 'refused' ? {} : { reviewedAt: now() };
  await applyTransition(tx, cardholder, on, {
    description: description && (reason ?? description),
    ...reviewed,
  });
}
