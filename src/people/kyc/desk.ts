import type { Sql } from '../../kernel/db/database';
import { commonLists, line } from '../../process/desk/common-lists';
import { type Decision, decision, type SubjectSpec } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, list } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import { type Line, type Story, storyOf } from '../../process/desk/story';
import { waitingFilterOf, waitingFilters } from '../../process/desk/waiting-filters';
import type { Services } from '../../services';
import { requireUser } from '../users/operations';
import { documentContent, requireDocumentById } from './documents/documents';
import { awaitingReview, countAwaitingReview, decideKyc, decisionsOn, type Kyc, readKyc } from './operations';
import { type KycDecision, type KycReview, requireKycTransition } from './record';
import { documentView, kycView } from './view';

export type KycDeskServices = Pick<Services, 'database' | 'commands' | 'keyring' | 'now' | 'parties'>;

interface KycVerb {
  verb: string;
  made: KycDecision;
  title: string;
  needsReason: boolean;
}

const VERBS: readonly KycVerb[] = [
  {
    verb: 'approve',
    made: 'completed',
    title: 'the documents prove who the user is',
    needsReason: false,
  },
  {
    verb: 'reject',
    made: 'rejected',
    title: 'they do not, and nothing more is asked for; the client reads the reason',
    needsReason: true,
  },
  {
    verb: 'request-resubmission',
    made: 'resubmission_required',
    title: 'asks the client for other documents; the client reads the reason',
    needsReason: true,
  },
];

const columns = columnsOf<KycReview>();

/** The desk of KYC reviews. An operator may also correct a review that has ended. */
export function kycDesk(services: KycDeskServices): Desk {
  const { database, now } = services;
  return defineDesk({
    name: 'kyc',
    title: 'KYC of users',
    lists: [
      list({
        name: 'kyc',
        title: 'KYC reviews of users: approve or reject their documents',
        filters: waitingFilters(),
        columns: {
          user: columns.id('user', ({ userId }) => userId),
          client: columns.id('client', ({ tenantId }) => tenantId),
          submission: columns.text('submission', ({ submission }) => submission),
          since: columns.since('since', ({ submittedAt }) => submittedAt),
        },
        rows: (page) => awaitingReview(database, waitingFilterOf(page, now())),
        place: ({ userId, submittedAt }) => ({ id: userId, since: submittedAt }),
        waitsSince: (sql) => countAwaitingReview(sql),
        decisions: VERBS.map(({ verb }) => `kyc.${verb}`),
      }),
    ],
    records: [
      record({
        kind: 'kycDocument',
        title: "A document of a user's KYC",
        story: (id, limit) => documentStory(database, id, limit),
        download: {
          name: 'kyc.document',
          title: "writes a document's content to a file; who has seen it and why is in the audit log",
          permission: 'review',
          async read(id) {
            const document = await requireDocumentById(database, id);
            const content = await documentContent(services, document);
            const { tenantId, contentType } = document;
            return { action: 'kyc.download-document', tenantId, contentType, content };
          },
        },
      }),
    ],
    decisions: VERBS.map((verb) => decisionOf(services, verb)),
  });
}

const usersOf = (services: KycDeskServices): SubjectSpec<Kyc> => ({
  noun: 'user',
  kinds: ['user'],
  read: (sql, id) => readKyc(services, sql, null, id),
  async lock(tx, id) {
    await requireUser(tx, null, id, { lock: 'update' });
    return readKyc(services, tx, null, id);
  },
  tenantOf: ({ user }) => user.tenantId,
});

const decisionOf = (services: KycDeskServices, { verb, made, title, needsReason }: KycVerb): Decision =>
  decision<Kyc>({
    name: `kyc.${verb}`,
    title,
    permission: 'review',
    subject: usersOf(services),
    ...(needsReason ? {} : { reason: 'optional' }),
    restsOn: ({ user, review, documents }) => ({
      status: user.kycStatus,
      submission: review?.submission ?? 0,
      // Ids sort by time: a document more is another newest one.
      'newest document': documents[0]?.id ?? null,
      // The client may change the data during the review. The time tells so without the data itself.
      'user changed': user.updatedAt.toISOString(),
    }),
    async preview(_, { subject: { user } }) {
      const { kycStatus } = user;
      return [{ field: 'status', from: kycStatus, to: requireKycTransition(kycStatus, made) }];
    },
    async execute(tx, { id: userId }, { decidedBy, reason }) {
      const given = { reach: null, userId, decision: made, decidedBy, reason: reason ?? undefined };
      const { before, after } = await decideKyc(services, tx, given);
      return {
        before: { status: before },
        after: { status: after.user.kycStatus },
        result: kycView(after, { role: 'admin' }),
      };
    },
  });

/** The decisions on a user's reviews and documents. */
export async function kycDecisions(sql: Sql, userId: string): Promise<Line[]> {
  const rows = await decisionsOn(sql, userId);
  return rows.map(({ at, decision: made, decidedBy, reason, submission, documentId }) =>
    line({
      at,
      decision: made,
      decidedBy,
      reason,
      submission: submission ?? undefined,
      documentId: documentId ?? undefined,
    }),
  );
}

/** A document without its content. */
async function documentStory(sql: Sql, id: string, limit: number): Promise<Story> {
  const document = await requireDocumentById(sql, id);
  const { tenantId, userId, status, updatedAt, submission } = document;
  const decisions = await kycDecisions(sql, userId);
  return storyOf(
    id,
    {
      what: 'KYC document',
      tenantId,
      status,
      since: updatedAt.toISOString(),
      record: { ...documentView(document), submission },
    },
    {
      ...(await commonLists(sql, { id }, limit)),
      decisions: decisions.filter(({ documentId }) => documentId === id),
    },
    limit,
  );
}
