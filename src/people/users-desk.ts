import { z } from 'zod';
import type { Sql } from '../kernel/db/database';
import { commonLists, line } from '../process/desk/common-lists';
import { type Decision, decision, type SubjectSpec } from '../process/desk/decision';
import { type Desk, defineDesk } from '../process/desk/desk';
import { finder, finderById } from '../process/desk/finder';
import { columnsOf, list } from '../process/desk/list';
import { record } from '../process/desk/record';
import { type Story, storyOf } from '../process/desk/story';
import type { Services } from '../services';
import { assertErasable, assertFinished, erasableFrom, eraseUser, type Unfinished } from './erasure';
import { personToReveal } from './kyc/approvals';
import { kycDecisions } from './kyc/desk';
import { readKyc } from './kyc/operations';
import { kycView } from './kyc/view';
import { lookAtReview } from './kyc/workflows';
import { foundUsers, listUsers, personOf, requireUser, SHOWN_STATUS } from './users/operations';
import type { User } from './users/record';

const columns = columnsOf<User>();

/** The desk of users. The file stands below KYC, because a user's story has the KYC. */
type UserDeskServices = Pick<Services, 'database' | 'keyring' | 'parties' | 'now' | 'log'> & Unfinished;

export function userDesk(services: UserDeskServices): Desk {
  const { database } = services;
  return defineDesk({
    name: 'user',
    title: 'Users of clients',
    lists: [
      list({
        name: 'users',
        title: 'all users, newest first',
        filters: z.object({
          client: z.string().max(200).optional().meta({ description: 'Id of the tenant.' }),
          externalId: z
            .string()
            .max(200)
            .optional()
            .meta({ description: "The client's own id of the user." }),
        }),
        columns: {
          id: columns.id('id', ({ id }) => id),
          client: columns.id('client', ({ tenantId }) => tenantId),
          status: columns.status('status', ({ status }) => status),
          kyc: columns.status('kyc', ({ kycStatus }) => kycStatus),
          created: columns.time('created', ({ createdAt }) => createdAt),
        },
        rows: ({ filters: { client = null, externalId }, after, limit }) =>
          listUsers(database, client, externalId === undefined ? {} : { externalId }, {
            after: after?.id,
            rows: limit,
          }),
        place: ({ id, createdAt }) => ({ id, since: createdAt }),
      }),
    ],
    finds: [
      finderById(database, { table: 'users', kinds: ['user'], noun: 'user', status: SHOWN_STATUS }),
      finder({
        name: 'user-by-external-id',
        title: "a client's own id of a user",
        pattern: /./,
        find: (text, limit) => foundUsers(database, text, limit),
      }),
    ],
    decisions: [eraseDecision(services)],
    records: [
      record({
        kind: 'user',
        title: 'A user with the KYC',
        story: (id, limit) => userStory(services, id, limit),
        reveal: {
          permission: 'review',
          async read(tx, id) {
            const user = await requireUser(tx, null, id);
            return {
              action: 'user.reveal',
              tenantId: user.tenantId,
              data: await personToReveal(services, tx, user),
            };
          },
        },
      }),
    ],
  });
}

interface Erasable {
  user: User;
  from: Date | null;
}

const erasable = async (sql: Sql, reading: Promise<User>): Promise<Erasable> => {
  const user = await reading;
  return { user, from: await erasableFrom(sql, user) };
};

const erasables: SubjectSpec<Erasable> = {
  noun: 'user',
  kinds: ['user'],
  read: (sql, id) => erasable(sql, requireUser(sql, null, id)),
  lock: (tx, id) => erasable(tx, requireUser(tx, null, id, { lock: 'update' })),
  tenantOf: ({ user }) => user.tenantId,
};

const eraseDecision = (services: UserDeskServices): Decision =>
  decision<Erasable>({
    name: 'user.erase',
    title: 'destroys the key of a blocked user’s data after the retention of the tenant; nobody can undo it',
    permission: 'security',
    takesTwo: 'always',
    subject: erasables,
    restsOn: ({ user: { status, updatedAt } }) => ({ status, changed: updatedAt.toISOString() }),
    async preview(tx, { subject: { user, from }, at }) {
      assertErasable(from, at);
      await assertFinished(services, tx, user);
      return [{ field: 'personal data', from: 'sealed', to: 'erased' }];
    },
    async execute(tx, { id }) {
      await eraseUser(services, tx, id);
      return { after: { erased: true }, result: { userId: id, erased: true } };
    },
  });

/** A user with KYC. Shows the names of the user's fields without their values. */
async function userStory(services: UserDeskServices, id: string, limit: number): Promise<Story> {
  const { database: sql } = services;
  const kyc = await readKyc(services, sql, null, id);
  const { user, review } = kyc;
  const { tenantId, status, statusReason, externalId, kycStatus, createdAt, updatedAt } = user;
  const { documents, ...shown } = kycView(kyc, { role: 'admin' });
  const workflowId = review && lookAtReview(review).workflowId;
  return storyOf(
    id,
    {
      what: 'user',
      tenantId,
      status,
      since: updatedAt.toISOString(),
      record: {
        ...line({ externalId, statusReason, createdAt, kycStatus }),
        metaFields: Object.keys(personOf(services, user).meta),
        kyc: shown,
      },
      ...(workflowId === undefined ? {} : { workflowId }),
    },
    {
      ...(await commonLists(sql, { id, workflowId }, limit)),
      documents: documents.map(line),
      decisions: await kycDecisions(sql, id),
    },
    limit,
  );
}
