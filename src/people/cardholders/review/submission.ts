import { Problem } from '../../../kernel/errors';
import type { Application, ApplicationDocument } from '../../../parties/cardholder-review/port';
import type { ReviewWord } from '../../../parties/cardholder-review/word';
import { DocumentUnreadable } from '../../../parties/documents/port';
import { heardOrder, noteEnded, noteHeard } from '../../../parties/orders/told-orders';
import { OutcomeUnknown, PartyAway, PartyRefused, PartyStopped } from '../../../process/party-errors';
import { documentContent, requireDocument } from '../../kyc/documents';
import { requireApplicant, shownOf } from '../applicant';
import type { CorrectedMeta } from '../fields/validate';
import { requireCardholder } from '../operations';
import type { CardholderStatus, CardholderTrigger } from '../record';
import { type Cardholder } from '../record';
import type { CardholderServices } from '../services';
import { setDueBy, setSubmissionSent } from '../store';
import { applyTransition, lockedCardholder, lockWithUser, save } from '../transition';
import { REVIEW_CALLBACKS, submissionKey, submissionOrder } from './party-orders';

/**
 * Where a submission stands after a step. `wait_audit`: the party has not received it. `processing`: it has it and has
 * not decided. `unknown`: it gave no answer. Else the cardholder's status, which ends the submission.
 */
export type SubmissionProgress = 'processing' | 'unknown' | CardholderStatus;

/** Where the party gives no reason. */
const REJECTED = 'The provider has rejected the application.';
const REFUSED = 'The provider has refused the data.';

/** Longer than between two attempts of a step. */
const ATTEMPTS_MS = 10 * 60_000;

/**
 * Submits a cardholder that waits for it, with what its user's meta and documents are now, and records what the party
 * answers. What the party has already heard of is not sent again.
 * @param dueBy when the workflow will ask again
 * @throws PartyAway nothing was submitted
 */
export async function submitToParty(
  services: CardholderServices,
  id: string,
  dueBy: Date,
): Promise<SubmissionProgress> {
  const known = await askParty(services, id, dueBy).catch(orUnknown);
  if (known !== 'wait_audit') return known;
  if (await isStopped(services)) return 'unknown';
  const prepared = await prepare(services, id);
  if (typeof prepared === 'string') return prepared;
  const { cardholder, application } = prepared;
  if (!(await setSubmissionSent(services.database, cardholder, true))) return statusOf(services, id);
  try {
    // Its data was read meanwhile, which takes as long as it takes.
    if (await isStopped(services)) throw new PartyStopped();
    return await settle(services, cardholder, await services.parties.cardholderReview.submit(application));
  } catch (error) {
    if (error instanceof PartyRefused)
      return end(
        services,
        cardholder,
        'submission_failed',
        `The provider has refused the data: ${error.code}.`,
      );
    // An earlier attempt may have come through although this one has not.
    if (isNothingDone(error) && !cardholder.submissionSent)
      await setSubmissionSent(services.database, cardholder, false);
    return orUnknown(error);
  }
}

const isStopped = async ({ switches }: CardholderServices): Promise<boolean> =>
  (await switches.party('cardholderReview')) === 'stopped';

const isNothingDone = (error: unknown): boolean =>
  error instanceof PartyAway && !(error instanceof OutcomeUnknown);

/** While it is stopped it is asked for again, which hands it in once the party is on: that is no attempt which has failed. */
function orUnknown(error: unknown): 'unknown' {
  if (error instanceof OutcomeUnknown || error instanceof PartyStopped) return 'unknown';
  throw error;
}

/**
 * Asks what became of a submission, and records it.
 * @throws PartyAway nothing is known
 */
export async function askParty(
  services: CardholderServices,
  id: string,
  dueBy: Date,
): Promise<SubmissionProgress> {
  const cardholder = await requireCardholder(services.database, null, id);
  if (cardholder.status !== 'wait_audit') return cardholder.status;
  const attempted = services.now().getTime() + ATTEMPTS_MS;
  await setDueBy(services.database, id, new Date(Math.max(attempted, dueBy.getTime())));
  const order = submissionOrder(cardholder);
  const before = await heardOrder(services.database, 'cardholderReview', order.ref);
  const outcome = await services.parties.cardholderReview.outcome(order.ref);
  const progress =
    outcome === 'unknown_to_party' ? 'wait_audit' : await settle(services, cardholder, outcome);
  await noteHeard(
    services.database,
    order,
    before,
    outcome === 'unknown_to_party' ? undefined : outcome.version,
  );
  return progress;
}

/** The attempts are used up: the submission has failed, unless the party may have it. */
export async function giveUpSubmission(
  services: CardholderServices,
  id: string,
): Promise<SubmissionProgress> {
  const { status, submissionSent, ...cardholder } = await requireCardholder(services.database, null, id);
  if (status !== 'wait_audit') return status;
  if (submissionSent) return 'unknown';
  const reason = 'The provider could not be reached.';
  return end(services, { ...cardholder, status, submissionSent }, 'submission_failed', reason);
}

/** The application, with the record showing what is in it; or how the submission has ended without one. */
async function prepare(
  services: CardholderServices,
  id: string,
): Promise<{ cardholder: Cardholder; application: Application } | SubmissionProgress> {
  const built = await build(services, id);
  const { cardholder } = built;
  if (cardholder.status !== 'wait_audit') return cardholder.status;
  if ('problem' in built) return end(services, cardholder, 'submission_failed', built.problem);
  try {
    const documents = await Promise.all(cardholder.documents.map((each) => read(services, cardholder, each)));
    const callbackUrl = services.publicUrl() + REVIEW_CALLBACKS;
    const { bin } = cardholder;
    const key = submissionKey(cardholder);
    const application = { key, cardholderId: id, bin, person: built.person, documents, callbackUrl };
    return { cardholder, application };
  } catch (error) {
    if (!(error instanceof DocumentUnreadable)) throw error;
    return end(services, cardholder, 'submission_failed', 'A document of the user cannot be read.');
  }
}

type Built = { cardholder: Cardholder } & ({ person: CorrectedMeta } | { problem: string });

/** Data that no longer stands up to the rules is not submitted: the client may have changed it since. */
async function build(services: CardholderServices, id: string): Promise<Built> {
  try {
    return await services.database.transaction(async (tx) => {
      const { cardholder, user } = await lockWithUser(tx, null, id);
      if (cardholder.status !== 'wait_audit') return { cardholder, problem: 'it has ended' };
      if (!user) return { cardholder, problem: 'The cardholder has no linked user.' };
      const { person, documents } = await requireApplicant(tx, services, user, cardholder);
      return { cardholder: await save(tx, { ...cardholder, ...shownOf(person), documents }), person };
    });
  } catch (error) {
    if (!(error instanceof Problem && (error.status === 400 || error.status === 412))) throw error;
    return { cardholder: await requireCardholder(services.database, null, id), problem: error.message };
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

/** Only the party's own word ends a submission. Recording it twice changes nothing the second time. */
async function settle(
  services: CardholderServices,
  cardholder: Cardholder,
  { status, reason }: ReviewWord,
): Promise<SubmissionProgress> {
  switch (status) {
    case 'processing':
      return 'processing';
    case 'passed':
      return end(services, cardholder, 'party_passed', null);
    case 'rejected':
      return end(services, cardholder, 'party_rejected', reason ?? REJECTED);
    case 'refused':
      return end(services, cardholder, 'submission_failed', reason ?? REFUSED);
  }
}

/** A word on a submission that has ended meanwhile changes nothing. */
function end(
  { database, log, now }: CardholderServices,
  { id, submissions }: Cardholder,
  on: Extract<CardholderTrigger, 'party_passed' | 'party_rejected' | 'submission_failed'>,
  description: string | null,
): Promise<CardholderStatus> {
  return database.transaction(async (tx) => {
    const cardholder = await lockedCardholder(tx, id);
    await noteEnded(tx, 'cardholderReview', submissionKey({ id, submissions }));
    if (cardholder.status !== 'wait_audit' || cardholder.submissions !== submissions) {
      log.warn({ cardholderId: id, submission: submissions, on }, 'the submission has ended already');
      return cardholder.status;
    }
    const decided = on === 'submission_failed' ? {} : { reviewedAt: now() };
    return (await applyTransition(tx, cardholder, on, { description, ...decided })).status;
  });
}

async function statusOf({ database }: CardholderServices, id: string): Promise<CardholderStatus> {
  return (await requireCardholder(database, null, id)).status;
}
