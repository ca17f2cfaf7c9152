import type { Sql } from '../../kernel/db/database';
import { commonLists, line } from '../../process/desk/common-lists';
import { type Decision, decision, type SubjectSpec } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { finder, finderById } from '../../process/desk/finder';
import { columnsOf, list } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import { type Story, storyOf } from '../../process/desk/story';
import { waitingFilterOf, waitingFilters } from '../../process/desk/waiting-filters';
import { changedSinceApproval, personToReveal } from '../kyc/approvals';
import { requireUser } from '../users/operations';
import { type User } from '../users/record';
import { emailHashOf } from './email';
import { findFile, requireCardholder } from './operations';
import { type Cardholder, requireTransition } from './record';
import { awaitingReview, countAwaitingReview, decideCardholder, decisionsOn } from './review/decision';
import type { CardholderServices } from './services';
import { foundCardholders } from './store';
import { lockWithUser } from './transition';
import { cardholderView } from './view';
import { startSubmission } from './workflows';

export type CardholderDeskServices = Pick<CardholderServices, 'database' | 'commands' | 'keyring' | 'now'>;

const columns = columnsOf<Cardholder>();

/** The desk of cardholders, whose applications an operator reviews before the reviewer gets them. */
export function cardholderDesk(services: CardholderDeskServices): Desk {
  const { database, now } = services;
  return defineDesk({
    name: 'cardholder',
    title: 'Cardholders',
    lists: [
      list({
        name: 'cardholders',
        title: 'cardholders in pending_review: submit them to the reviewer or reject them',
        filters: waitingFilters({ kind: 'The BIN.' }),
        columns: {
          id: columns.id('id', ({ id }) => id),
          client: columns.id('client', ({ tenantId }) => tenantId),
          user: columns.id('user', ({ userId }) => userId),
          bin: columns.text('bin', ({ bin }) => bin),
          name: columns.text('name', ({ maskedName }) => maskedName),
          since: columns.since('since', ({ updatedAt }) => updatedAt),
        },
        rows: (page) => awaitingReview(database, waitingFilterOf(page, now())),
        place: ({ id, updatedAt }) => ({ id, since: updatedAt }),
        waitsSince: (sql) => countAwaitingReview(sql),
        decisions: ['cardholder.approve', 'cardholder.reject'],
      }),
    ],
    records: [
      record({
        kind: 'cardholder',
        title: 'A cardholder on a BIN',
        story: (id, limit) => cardholderStory(services, id, limit),
        reveal: {
          permission: 'review',
          async read(tx, id) {
            const { userId, tenantId } = await requireCardholder(tx, null, id);
            const data =
              userId === null ? {} : await personToReveal(services, tx, await requireUser(tx, null, userId));
            return { action: 'cardholder.reveal', tenantId, data };
          },
        },
      }),
      record({
        kind: 'file',
        title: "A file that a tenant uploaded as a cardholder's photo",
        story: (id, limit) => fileStory(database, id, limit),
      }),
    ],
    decisions: [decisionOf(services, 'approve'), decisionOf(services, 'reject')],
    finds: [
      finderById(database, { table: 'cardholders', kinds: ['cardholder'], noun: 'cardholder' }),
      finder({
        name: 'cardholder-by-email',
        title: 'the e-mail of a cardholder',
        // A found e-mail reveals that its owner is a cardholder.
        permission: 'review',
        pattern: /^[^@\s]+@[^@\s]+$/,
        find: (text, limit) => foundCardholders(database, emailHashOf(services, text), limit),
      }),
    ],
  });
}

/** A cardholder with the user whose data the submission is built from. */
interface UnderReview {
  cardholder: Cardholder;
  user: User | undefined;
}

const cardholders: SubjectSpec<UnderReview> = {
  noun: 'cardholder',
  kinds: ['cardholder'],
  async read(sql, id) {
    const cardholder = await requireCardholder(sql, null, id);
    return { cardholder, user: await userOf(sql, cardholder) };
  },
  lock: (tx, id) => lockWithUser(tx, null, id),
  tenantOf: ({ cardholder }) => cardholder.tenantId,
};

const userOf = async (sql: Sql, { userId }: Cardholder): Promise<User | undefined> =>
  userId === null ? undefined : requireUser(sql, null, userId);

function decisionOf(services: CardholderDeskServices, verb: 'approve' | 'reject'): Decision {
  const made = verb === 'approve' ? 'approved' : 'rejected';
  return decision<UnderReview>({
    name: `cardholder.${verb}`,
    title:
      verb === 'approve'
        ? 'lets it be submitted to the reviewer'
        : 'ends the review; the client reads the reason and may submit again',
    permission: 'review',
    subject: cardholders,
    ...(verb === 'approve' ? { reason: 'optional' } : {}),
    // The client may change the data during the review. The times tell so without the data itself.
    restsOn: ({ cardholder: { status, submissions, updatedAt }, user }) => ({
      status,
      submissions,
      'cardholder changed': updatedAt.toISOString(),
      'user changed': user?.updatedAt.toISOString() ?? null,
      kyc: user?.kycStatus ?? null,
    }),
    async preview(_, { subject: { cardholder } }) {
      const { status, submissions } = cardholder;
      const to = requireTransition(status, made);
      const sent = { field: 'submissions', from: String(submissions), to: String(submissions + 1) };
      return [{ field: 'status', from: status, to }, ...(verb === 'approve' ? [sent] : [])];
    },
    async execute(tx, { id }, { decidedBy, reason }) {
      const given = { cardholderId: id, decision: made, decidedBy, reason: reason ?? undefined } as const;
      const { before, after } = await decideCardholder(services, tx, given);
      return {
        before: { status: before.status },
        after: { status: after.status },
        result: cardholderView(after),
      };
    },
  });
}

/** A cardholder with masked personal data, and the documents of the newest submission. */
async function cardholderStory(services: CardholderDeskServices, id: string, limit: number): Promise<Story> {
  const { database: sql } = services;
  const cardholder = await requireCardholder(sql, null, id);
  const { tenantId, status, updatedAt } = cardholder;
  const { documents, ...shown } = cardholderView(cardholder);
  const user = await userOf(sql, cardholder);
  const changed = user ? await changedSinceApproval(services, sql, user) : [];
  const { workflowId } = startSubmission(cardholder);
  const decisions = await decisionsOn(sql, id);
  return storyOf(
    id,
    {
      what: 'cardholder',
      tenantId,
      status,
      since: updatedAt.toISOString(),
      workflowId,
      record: { ...shown, ...(changed.length > 0 ? { changedSinceApproval: changed } : {}) },
    },
    {
      ...(await commonLists(sql, { id, workflowId }, limit)),
      documents: documents.map(line),
      decisions: decisions.map(({ at, decision: made, decidedBy, reason }) =>
        line({ at, decision: made, decidedBy, reason }),
      ),
    },
    limit,
  );
}

async function fileStory(sql: Sql, id: string, limit: number): Promise<Story | undefined> {
  const file = await findFile(sql, null, id);
  if (!file) return undefined;
  const { tenantId, contentType, sha256 } = file;
  return storyOf(
    id,
    { what: 'file', tenantId, status: null, since: null, record: { contentType, sha256 } },
    await commonLists(sql, { id }, limit),
    limit,
  );
}
