import { anyOf, table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';
import type { WaitingPlace } from '../../kernel/db/waiting';
import type { Operator } from '../operators/operations';
import type { DeskSession, Failures } from './record';

const sessions = recordTable<DeskSession>('desk_sessions', {});

/**
 * Begins a session. Postgres compares the proof of the operator's secret.
 * @param secret `storedNow` replaces a stored secret under an earlier version of the key, so that a renewal comes to its end
 */
export async function insertSession(
  tx: Tx,
  given: Omit<DeskSession, 'endedAt' | 'seenAt'>,
  secret: { proof: Buffer; storedNow: Buffer },
): Promise<void> {
  const { id, operatorId, tokenHash, transport, address, createdAt } = given;
  const values = [id, operatorId, secret.proof, secret.storedNow, tokenHash, transport, address, createdAt];
  await tx.query('select begin_session($1, $2, $3, $4, $5, $6, $7, $8)', values);
}

export interface SessionOf extends DeskSession {
  operator: Pick<Operator, 'name' | 'createdBy' | 'admittedAt' | 'disabledAt' | 'permissions'>;
}

/**
 * The session of a token with its operator, in one statement, because each request of an operator asks for it.
 * @param hashes of the token, under every version of the key
 */
export async function findSession(sql: Sql, hashes: readonly Buffer[]): Promise<SessionOf | undefined> {
  const [row] = await sql.run<DeskSession & SessionOf['operator']>(
    table('desk_sessions as s')
      .join('operators as o', 'o.id', 's.operatorId')
      .where(anyOf('s.tokenHash', hashes))
      .select('s.*', 'o.name', 'o.createdBy', 'o.admittedAt', 'o.disabledAt', 'o.permissions'),
  );
  if (!row) return undefined;
  const { name, createdBy, admittedAt, disabledAt, permissions, ...session } = row;
  return { ...session, operator: { name, createdBy, admittedAt, disabledAt, permissions } };
}

export const saveSeen = async (sql: Sql, id: string, seenAt: Date): Promise<void> =>
  void (await sql.run(sessions().where({ id }).update({ seenAt })));

export const saveEnd = async (tx: Sql, id: string, endedAt: Date): Promise<void> =>
  void (await tx.run(sessions().where({ id, endedAt: null }).update({ endedAt })));

/** Ends all sessions of an operator. */
export const endSessionsOf = async (tx: Sql, operatorId: string, endedAt: Date): Promise<void> =>
  void (await tx.run(sessions().where({ operatorId, endedAt: null }).update({ endedAt })));

/** A session with the name of its operator. */
export interface NamedSession extends Omit<DeskSession, 'tokenHash'> {
  name: string;
}

const named = () =>
  table('desk_sessions as s')
    .join('operators as o', 'o.id', 's.operatorId')
    .select('s.id', 's.operatorId', 'o.name', 's.transport', 's.address')
    .select('s.createdAt', 's.seenAt', 's.endedAt');

export const findNamedSession = async (sql: Sql, id: string): Promise<NamedSession | undefined> =>
  (await sql.run<NamedSession>(named().where({ 's.id': id })))[0];

export const lockSession = async (tx: Sql, id: string): Promise<NamedSession | undefined> => {
  await tx.run(sessions().where({ id }).forUpdate().select('id'));
  return findNamedSession(tx, id);
};

/** A page of the live sessions, oldest first. Index: desk_sessions_open. */
export function liveSessions(
  sql: Sql,
  {
    begunAfter,
    seenAfter,
    after,
    limit,
  }: { begunAfter: Date; seenAfter: Date; after: WaitingPlace | undefined; limit: number },
): Promise<NamedSession[]> {
  const query = named()
    .where({ 's.endedAt': null })
    .where('s.createdAt', '>', begunAfter)
    .where('s.seenAt', '>', seenAfter)
    .orderBy(['s.createdAt', 's.id'])
    .limit(limit);
  if (after) void query.whereRaw('(s.created_at, s.id) > (?, ?)', [after.since, after.id]);
  return sql.run<NamedSession>(query);
}

type FailureRow = Failures & { name: string; address: string };
const failures = recordTable<FailureRow>('sign_in_failures', {});

/** Serialises the attempts of a name from an address, so that concurrent guesses are counted one by one. */
export async function lockAttempts(tx: Tx, name: string, address: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 37))', [`${name} ${address}`]);
}

export const findFailures = (tx: Tx, name: string, address: string): Promise<Failures | undefined> =>
  failures.one(tx, failures().where({ name, address }));

export async function saveFailures(tx: Tx, row: FailureRow): Promise<void> {
  await tx.run(failures().insert(row).onConflict(['name', 'address']).merge(['failures', 'failed_at']));
}

export const deleteFailures = async (tx: Tx, name: string, address: string): Promise<void> =>
  void (await tx.run(failures().where({ name, address }).delete()));

/** Deletes what counts no more, so that strangers cannot fill the disk. */
export const deleteOldFailures = async (tx: Tx, before: Date): Promise<void> =>
  void (await tx.run(failures().where('failedAt', '<', before).delete()));
