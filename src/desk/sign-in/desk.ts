import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { commonLists, line } from '../../process/desk/common-lists';
import { decision, type SubjectSpec } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, list } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import { type Story, storyOf } from '../../process/desk/story';
import { isLive, SESSION_MS, type SignInRules } from './rules';
import { findNamedSession, liveSessions, lockSession, type NamedSession, saveEnd } from './store';

const columns = columnsOf<NamedSession>();

interface SessionDeskDeps {
  database: Sql;
  /** The machine's time, which the sandbox's clock does not move. */
  clock(): Date;
  signInRules: SignInRules;
}

/** The desk of the sessions of operators. */
export function sessionDesk({ database, clock, signInRules }: SessionDeskDeps): Desk {
  const statusOf = (session: NamedSession): string =>
    isLive(session, clock(), signInRules) ? 'live' : 'ended';
  return defineDesk({
    name: 'session',
    title: 'Sessions of operators',
    lists: [
      list({
        name: 'sessions',
        title: 'operators who are signed in, the longest first',
        permission: 'security',
        filters: z.object({}),
        columns: {
          id: columns.id('id', ({ id }) => id),
          operator: columns.id('operator', ({ operatorId }) => operatorId),
          name: columns.text('name', ({ name }) => name),
          transport: columns.text('by', ({ transport }) => transport),
          address: columns.text('from', ({ address }) => address),
          seen: columns.time('last seen', ({ seenAt }) => seenAt),
          since: columns.since('since', ({ createdAt }) => createdAt),
        },
        rows({ after, limit }) {
          const now = clock().getTime();
          const begunAfter = new Date(now - SESSION_MS);
          const seenAfter = new Date(now - signInRules.restMs);
          return liveSessions(database, { begunAfter, seenAfter, after, limit });
        },
        place: ({ id, createdAt }) => ({ id, since: createdAt }),
        decisions: ['session.end'],
      }),
    ],
    records: [
      record({
        kind: 'session',
        title: 'A session of an operator',
        permission: 'security',
        async story(id, limit): Promise<Story | undefined> {
          const found = await findNamedSession(database, id);
          if (!found) return undefined;
          const { endedAt, createdAt } = found;
          const since = (endedAt ?? createdAt).toISOString();
          const told = {
            what: 'session',
            tenantId: null,
            status: statusOf(found),
            since,
            record: line(found),
          };
          return storyOf(id, told, await commonLists(database, { id }, limit), limit);
        },
      }),
    ],
    decisions: [
      decision<NamedSession>({
        name: 'session.end',
        title: 'ends the session of an operator at once',
        permission: 'security',
        subject: sessions,
        restsOn: (session) => ({ status: statusOf(session) }),
        async preview(_, { subject }) {
          assertLive(statusOf(subject));
          return [{ field: 'status', from: 'live', to: 'ended' }];
        },
        async execute(tx, { id, subject }) {
          assertLive(statusOf(subject));
          await saveEnd(tx, id, clock());
          const { operatorId, name } = subject;
          return { after: { operatorId }, result: { sessionId: id, name, status: 'ended' } };
        },
      }),
    ],
  });
}

/** @throws Problem 409 */
function assertLive(status: string): void {
  if (status !== 'live') throw conflict('invalid_transition', 'The session has ended.');
}

const sessions: SubjectSpec<NamedSession> = {
  noun: 'session',
  kinds: ['session'],
  read: (sql, id) => findNamedSession(sql, id),
  lock: (tx, id) => lockSession(tx, id),
  tenantOf: () => null,
};
