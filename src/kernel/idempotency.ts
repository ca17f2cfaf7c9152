import { hash } from 'node:crypto';
import { type Database, during, type Sql, type Tx } from './db/database';
import { CommitUnknown, DatabaseAway } from './db/faults';
import { inPortions } from './db/portions';
import { compositeArray, jsonLines, type Write, writeWithCommit } from './db/writes';
import { inProgress, invalid, mismatch, outcomeUnknown, Problem } from './errors';
import { type IdKind, newIdNamed } from './ids';

/** An idempotency key with its scope: tenant, method and path (decisions part 1, Idempotency). */
export interface IdempotencyKey {
  /** Hash of tenant, scope and key, as a UUID. The key is stored and locked under this name. */
  name: string;
  fingerprint: Buffer;
  /** Kept for ever, because it is the operation's own key. */
  permanent: boolean;
}

/** A key of a tenant within a scope. */
export const keyIn = ({
  tenantId,
  scope,
  key,
  fingerprint,
  permanent,
}: { tenantId: string; scope: string; key: string } & Omit<IdempotencyKey, 'name'>): IdempotencyKey => ({
  name: keyName(tenantId, scope, key),
  fingerprint,
  permanent,
});

/** The stored name of a key: half of a SHA-256, as a UUID. No part of it has a line break. */
export function keyName(tenantId: string, scope: string, key: string): string {
  const digits = hash('sha256', `${tenantId}\n${scope}\n${key}`, 'hex');
  const parts = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20)];
  return `${parts.join('-')}-${digits.slice(20, 32)}`;
}

/** Key of an operation that requires one. Unique among the operation's records within the caller's tenant. */
export interface OperationKey {
  idempotencyKey: string;
  callerId: string;
}

export const operationKey = (request: {
  caller: { tenantId: string };
  idempotencyKey: string | undefined;
}): OperationKey => ({
  idempotencyKey: request.idempotencyKey ?? '',
  callerId: request.caller.tenantId,
});

/**
 * A new id for a record that a party gets an order for. Its end follows from the key, so the order of a lost record is recognised when
 * the client repeats its request (`src/process/lost-orders.ts`).
 */
export const newOrderId = (
  kind: IdKind,
  { callerId, idempotencyKey }: OperationKey,
  accountId: string,
): string => newIdNamed(kind, JSON.stringify([callerId, accountId, idempotencyKey]));

/** A stored response. Every repeat sends the same bytes. */
export interface StoredAnswer {
  status: number;
  body: string;
}

export interface KeyedAnswer extends StoredAnswer {
  replayed: boolean;
}

/** @throws Problem 400 unless the key has 1 to 255 printable ASCII characters */
export function checkedKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(header)) {
    throw invalid('x-idempotency-key must be 1 to 255 printable ASCII characters.', 'x-idempotency-key');
  }
  return header;
}

/** Half of the SHA-256 of a request: body and query with sorted keys, and the hashes of its files. */
export function fingerprint(body: unknown, query: unknown, files: string[] = []): Buffer {
  return hash('sha256', canonical([body, query, files]), 'buffer').subarray(0, 16);
}

/** Sorts only what is not sorted, because sorting copies its input. */
const sorted = (keys: string[]): string[] =>
  keys.every((key, index) => index === 0 || key > keys[index - 1]!) ? keys : keys.sort();

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const record = value as Record<string, unknown>;
  let text = '';
  for (const key of sorted(Object.keys(record)))
    if (record[key] !== undefined)
      text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonical(record[key])}`;
  return `{${text}}`;
}

/**
 * Runs `work` under a key and commits its effect together with the stored answer. For a 409 or 412 that `work` throws,
 * its writes are undone and the refusal is stored.
 * @param refusal renders a refusal as it is sent
 * @throws Problem 409 `idempotency_in_progress`, 422 `idempotency_mismatch`, 503 `outcome_unknown`
 */
export async function withKey(
  database: Database,
  key: IdempotencyKey,
  work: (tx: Tx) => Promise<StoredAnswer>,
  refusal: (problem: Problem) => StoredAnswer,
): Promise<KeyedAnswer> {
  try {
    return await database.transaction(async (tx) => {
      const [lookup] = await Promise.all([lookUpKeys(tx, [key]), tx.query('savepoint work')]);
      const stored = settledAnswer(key, lookup[0]);
      if (stored) return stored;
      const answer = await attempt(tx, work, refusal);
      writeWithCommit(tx, [answersWrite([{ key, answer }])]);
      return { ...answer, replayed: false };
    });
  } catch (error) {
    if (!(error instanceof CommitUnknown)) throw error;
    return afterUnknownOutcome(database, key);
  }
}

async function attempt(
  tx: Tx,
  work: (tx: Tx) => Promise<StoredAnswer>,
  refusal: (problem: Problem) => StoredAnswer,
): Promise<StoredAnswer> {
  // Hooks of work that is rolled back must not run.
  const hooks: (() => void)[] = [];
  try {
    const answer = await during({ ...tx, afterCommit: (hook) => hooks.push(hook) }, work);
    for (const hook of hooks) tx.afterCommit(hook);
    return answer;
  } catch (error) {
    if (!(error instanceof Problem && error.isResult)) throw error;
    await tx.query('rollback to savepoint work');
    return refusal(error);
  }
}

/**
 * Defers an error of `ask` until its result is read. In the transaction, a refusal is then stored under the key, and an
 * answer that a request with the same key has stored meanwhile takes precedence.
 */
export async function outcomeOf<T>(ask: () => Promise<T>): Promise<() => T> {
  try {
    const answer = await ask();
    return () => answer;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Reads the outcome of a commit from the key, after the transaction of the broken connection has ended. */
export async function afterUnknownOutcome(database: Database, key: IdempotencyKey): Promise<KeyedAnswer> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** attempt));
    try {
      const [lookup] = await database.transaction((tx) => lookUpKeys(tx, [key]));
      if (!lookup?.locked) continue; // the old transaction still holds the key
      const stored = settledAnswer(key, lookup);
      if (stored) return { ...stored, replayed: false };
      throw new DatabaseAway('the commit did not happen');
    } catch (error) {
      if (
        error instanceof Problem ||
        (error instanceof DatabaseAway && error.cause === 'the commit did not happen')
      )
        throw error;
    }
  }
  throw outcomeUnknown();
}

export interface KeyLookup {
  locked: boolean;
  stored?: { fingerprint: Buffer; status: number; body: string } | undefined;
}

/**
 * Takes the advisory lock of each key without waiting, then reads the stored answers, in the order given. Two
 * statements in one round trip: the second sees commits of the former lock holders.
 */
export async function lookUpKeys(tx: Sql, keys: IdempotencyKey[]): Promise<KeyLookup[]> {
  const [locks, stored] = await Promise.all([
    tx.prepared<{ locked: boolean }>(
      'keys-lock',
      `select pg_try_advisory_xact_lock(hashtextextended(name, 7)) as locked
         from unnest($1::text[]) with ordinality as u(name, o) order by o`,
      [namesOf(keys)],
    ),
    readKeys(tx, keys),
  ]);
  return keys.map((_, index) => ({ locked: locks[index]?.locked ?? false, stored: stored[index] }));
}

const namesOf = (keys: IdempotencyKey[]): string[] => keys.map(({ name }) => name);

/** Stored answer of each key, in the order given. */
async function readKeys(sql: Sql, keys: IdempotencyKey[]): Promise<KeyLookup['stored'][]> {
  const rows = await sql.prepared<{ o: string; fingerprint: Buffer; status: number; body: string }>(
    'keys-read',
    // One index lookup per key, even if the plan was cached while the table was small.
    `select u.o, i.fingerprint, i.status, i.body
       from unnest($1::uuid[]) with ordinality as u(name, o)
      cross join lateral (select * from idempotency_keys where name = u.name limit 1) i`,
    [namesOf(keys)],
  );
  const stored = new Map(rows.map((row) => [Number(row.o) - 1, row]));
  return keys.map((_, index) => stored.get(index));
}

/**
 * The stored answer, or undefined when the work is still to be done.
 * @throws Problem 409 while another request runs under the key, 422 when the key was used with another request
 */
export function settledAnswer(key: IdempotencyKey, lookup: KeyLookup | undefined): KeyedAnswer | undefined {
  if (!lookup?.locked) throw inProgress();
  if (!lookup.stored) return undefined;
  if (!lookup.stored.fingerprint.equals(key.fingerprint)) throw mismatch();
  return { status: lookup.stored.status, body: lookup.stored.body, replayed: true };
}

/**
 * The stored answer, read without the key's lock. Undefined while another request runs under the key.
 * @throws Problem 422 when the key was used with another request
 */
export async function storedAnswer(sql: Sql, key: IdempotencyKey): Promise<KeyedAnswer | undefined> {
  const [stored] = await readKeys(sql, [key]);
  return settledAnswer(key, { locked: true, stored });
}

export interface KeptAnswer {
  key: IdempotencyKey;
  answer: StoredAnswer;
}

/** The write that stores the answers under their keys. */
export function answersWrite(answers: KeptAnswer[]): Write | undefined {
  if (answers.length === 0) return undefined;
  const rows = answers.map(({ key, answer }) => [
    key.name,
    key.fingerprint.toString('hex'),
    answer.status,
    null, // the body
    key.permanent,
  ]);
  return {
    name: 'answers',
    statement: `insert into idempotency_keys (name, fingerprint, status, body, permanent)
      select k.name, decode(k.fingerprint, 'hex'), k.status, coalesce(k.json, ''), k.permanent
        from unnest($1::new_answer[], string_to_array($2, E'\\n')) as k(name, fingerprint, status, body, permanent, json)`,
    values: [compositeArray(rows), jsonLines(answers.map(({ answer }) => answer.body))],
  };
}

/** Deletes keys older than 25 hours, except permanent ones. @returns number of deleted keys */
export const forgetOldKeys = (database: Database): Promise<number> =>
  forgetOldRows(database, 'idempotency_keys');

/**
 * As {@link forgetOldKeys}, for a table that goes with the keys. Each portion begins where the last one ended. Otherwise it
 * would read the index entries of all deleted rows again while a backup or a proof keeps them.
 */
export async function forgetOldRows(
  database: Database,
  table: 'idempotency_keys' | 'personal_answers',
): Promise<number> {
  let from: Date | '-infinity' = '-infinity';
  return inPortions(database, async (tx, limit) => {
    const [row] = await tx.query<{ count: number; last: Date | null }>(
      `with gone as (delete from ${table} where ctid = any(array(
                select ctid from ${table}
                 where not permanent and created_at < now() - interval '25 hours' and created_at >= $2::timestamptz
                 order by created_at limit $1)) returning created_at)
       select count(*)::int as count, max(created_at) as last from gone`,
      [limit, from],
    );
    from = row?.last ?? from;
    return row?.count ?? 0;
  });
}
