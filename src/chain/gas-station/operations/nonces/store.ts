import { NOW, raw, table } from '../../../../kernel/db/build';
import type { Sql } from '../../../../kernel/db/database';
import type { Attempt } from './record';

const UNITS = ['value', 'gas', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const;

/** NUMERIC and BIGINT come as text. */
type Row = Omit<Attempt, (typeof UNITS)[number] | 'nonce'> & Record<(typeof UNITS)[number] | 'nonce', string>;

const nonces = () => table('chain_nonces');

const attemptOf = (row: Row): Attempt => ({
  ...row,
  nonce: Number(row.nonce),
  value: BigInt(row.value),
  gas: BigInt(row.gas),
  maxFeePerGas: BigInt(row.maxFeePerGas),
  maxPriorityFeePerGas: BigInt(row.maxPriorityFeePerGas),
});

/** What a transaction consists of beside its nonce. */
export type Planned = Pick<
  Attempt,
  'recipient' | 'value' | 'data' | 'authorizations' | 'gas' | 'maxFeePerGas' | 'maxPriorityFeePerGas'
>;

export type NewAttempt = Planned &
  Pick<Attempt, 'chain' | 'address' | 'nonce' | 'attempt' | 'operationId' | 'cancels'>;

const rowOf = (planned: Planned) => ({
  ...planned,
  authorizations: JSON.stringify(planned.authorizations),
  ...Object.fromEntries(UNITS.map((name) => [name, String(planned[name])])),
});

/** Nobody else gives out a nonce of the chain, or reserves of its budget, until the transaction ends. */
export async function lockNonces(tx: Sql, chain: string): Promise<void> {
  // Raw: an advisory lock, for the nonces that are free have no row.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 150))', [chain]);
}

/** Those from that one on that somebody holds. */
export async function takenNonces(
  tx: Sql,
  { chain, address, from }: { chain: string; address: string; from: number },
): Promise<number[]> {
  const rows = await tx.run<{ nonce: string }>(
    nonces()
      .select('nonce')
      .where({ chain, address, releasedAt: null })
      .where('nonce', '>=', from)
      .where('attempt', 0),
  );
  return rows.map(({ nonce }) => Number(nonce));
}

/**
 * The most that the transactions of an address which are in no block yet may take of its coins: of several attempts the dearest.
 * @param from how many are in blocks
 * @param except the operation whose own are not counted
 */
export async function committedBy(
  sql: Sql,
  { chain, address, from, except }: { chain: string; address: string; from: number; except: string },
): Promise<bigint> {
  const each = nonces()
    .select(raw('max(value + gas * max_fee_per_gas) as most'))
    .where({ chain, address, settledAt: null, releasedAt: null })
    .where('nonce', '>=', from)
    .whereNot('operationId', except)
    .groupBy('nonce');
  return totalOf(sql, each);
}

export async function insertAttempt(tx: Sql, given: NewAttempt): Promise<Attempt> {
  const [made] = await tx.run<Row>(
    nonces()
      .insert({ ...given, ...rowOf(given), createdAt: NOW })
      .returning('*'),
  );
  if (!made) throw new Error('the nonce was not kept');
  return attemptOf(made);
}

/** Of one that is not signed here. */
export async function replan(tx: Sql, number: string, planned: Planned): Promise<Attempt> {
  const [changed] = await tx.run<Row>(
    nonces().where({ number, raw: null }).update(rowOf(planned)).returning('*'),
  );
  if (!changed) throw new Error(`the nonce ${number} is signed`);
  return attemptOf(changed);
}

/** Those of an operation that hold their nonce, the first one first; what a person has executed and was reverted is none any more. */
export async function attemptsOf(sql: Sql, operationId: string): Promise<Attempt[]> {
  const rows = await sql.run<Row>(
    nonces()
      .where({ operationId, releasedAt: null })
      .where((either) => {
        void either.whereNotNull('raw').orWhereNull('settledAt');
      })
      .orderBy('attempt'),
  );
  return rows.map(attemptOf);
}

/** Those that people are shown: also what holds its nonce no more, though somebody may have it. */
export async function namedOf(sql: Sql, operationId: string): Promise<Attempt[]> {
  const given = nonces().where({ operationId }).whereNotNull('releasedAt').whereNotNull('hash');
  const rows = await sql.run<Row>(given.orderBy('number'));
  return [...rows.map(attemptOf), ...(await attemptsOf(sql, operationId))];
}

/** Which operation a transaction that was signed here is of. */
export async function operationSigned(sql: Sql, chain: string, hash: string): Promise<string | undefined> {
  const [row] = await sql.run<{ operationId: string }>(nonces().select('operationId').where({ chain, hash }));
  return row?.operationId;
}

/** Which other operation was given that nonce, though it may hold it no more; nobody where this one was given it too. */
export async function holderBeside(
  sql: Sql,
  held: Pick<Attempt, 'chain' | 'address' | 'nonce'>,
  operationId: string,
): Promise<string | undefined> {
  const rows = await sql.run<{ operationId: string }>(
    nonces().select('operationId').where(held).orderBy('number'),
  );
  const holders = rows.map((row) => row.operationId);
  return holders.includes(operationId) ? undefined : holders.at(-1);
}

/** Those from that nonce on that were settled, each with what was executed of its operation; the least nonce first. */
export async function settledFrom(
  sql: Sql,
  { chain, address, from, limit }: { chain: string; address: string; from: number; limit?: number },
): Promise<(Attempt & { executed: string | null })[]> {
  const rows = await sql.run<Row & { executed: string | null }>(
    nonces()
      .select('chain_nonces.*', 'gas_operations.txHash as executed')
      .join('gas_operations', 'gas_operations.id', 'chain_nonces.operationId')
      .where({ 'chain_nonces.chain': chain, address, releasedAt: null })
      .where('nonce', '>=', from)
      .whereNotNull('settledAt')
      .orderBy(['nonce', 'attempt'])
      .modify((query) => {
        if (limit !== undefined) void query.limit(limit);
      }),
  );
  return rows.map((row) => ({ ...attemptOf(row), executed: row.executed }));
}

/** Those of an operation that were settled, also where the nonce is another's since. */
export async function settledOf(sql: Sql, operationId: string): Promise<Attempt[]> {
  const rows = await sql.run<Row>(
    nonces().where({ operationId }).whereNotNull('settledAt').orderBy('number'),
  );
  return rows.map(attemptOf);
}

/** What a person has executed is on the chain no more: whoever comes next has its nonce. */
export async function releaseVanished(tx: Sql, number: string, at: Date): Promise<void> {
  await tx.run(nonces().where({ number, raw: null }).update({ releasedAt: at }));
}

/** There is another chain of that name now: of the one before no nonce is held, and nothing that was signed for it is valid. */
export async function releaseAll(tx: Sql, chain: string, at: Date): Promise<void> {
  const held = nonces().where({ chain, releasedAt: null });
  await tx.run(held.update({ releasedAt: at, raw: null, hash: null }));
}

/**
 * Signed twice the bytes are the same: kept once. So they are where the same was ordered before and its nonce is free again: whoever has
 * it now has the hash too.
 */
export async function keepSigned(
  tx: Sql,
  { number, chain }: Pick<Attempt, 'number' | 'chain'>,
  { raw: bytes, hash }: { raw: string; hash: string },
): Promise<void> {
  await tx.run(nonces().where({ chain, hash }).whereNotNull('releasedAt').update({ hash: null }));
  await tx.run(nonces().where({ number, raw: null, releasedAt: null }).update({ raw: bytes, hash }));
}

/** What was handed over, of an operation that does not hold its nonce any more, and was not booked either. */
const freed = () => nonces().whereNotNull('releasedAt').where({ settledAt: null }).whereNotNull('hash');

const HELD_BY_NOBODY = `not exists (select from chain_nonces held where held.released_at is null
  and (held.chain, held.address, held.nonce) = (chain_nonces.chain, chain_nonces.address, chain_nonces.nonce))`;

/** Those of an address, the newest first. @param nonce null: of all nonces that no other operation has been given since */
export async function freedOf(
  sql: Sql,
  { chain, address }: Pick<Attempt, 'chain' | 'address'>,
  nonce: number | null,
): Promise<Attempt[]> {
  const of = freed().where({ chain, address }).orderBy('number', 'desc');
  const rows = await sql.run<Row>(nonce === null ? of.whereRaw(HELD_BY_NOBODY) : of.where({ nonce }));
  return rows.map(attemptOf);
}

/** It is in a block after all. @returns false when it is no such one, or known */
export async function settleFreed(
  tx: Sql,
  { chain, operationId, hash }: { chain: string; operationId: string; hash: string },
  at: Date,
): Promise<boolean> {
  const settled = freed().where({ chain, operationId, hash }).update({ settledAt: at });
  return (await tx.run(settled.returning('number'))).length > 0;
}

/** A transaction that a person has executed and that was reverted. */
type Reverted = Pick<Attempt, 'chain' | 'operationId' | 'nonce'> & {
  hash: string;
  from: string;
  to: string | null;
  gasUsed: bigint;
  fee: bigint;
};

/** Keeps it with the nonce that the operation holds; where it holds none, or another one, by itself. @returns false when it is known */
export async function keepReverted(tx: Sql, reverted: Reverted, at: Date): Promise<boolean> {
  const { chain, operationId, nonce, hash } = reverted;
  if (await settleFreed(tx, { chain, operationId, hash }, at)) return true;
  if ((await operationSigned(tx, chain, hash)) !== undefined) return false;
  const kept = await tx.run(
    nonces()
      .where({ operationId, nonce, raw: null, settledAt: null, releasedAt: null })
      .update({ hash, settledAt: at })
      .returning('number'),
  );
  if (kept.length === 0) await insertReverted(tx, reverted, at);
  return true;
}

/** It holds no nonce for us: the chain alone says that it is used. */
async function insertReverted(
  tx: Sql,
  { chain, operationId, nonce, hash, from, to, gasUsed, fee }: Reverted,
  at: Date,
): Promise<void> {
  // Some chains have transactions of their own that use no gas.
  const maxFeePerGas = gasUsed === 0n ? 0n : fee / gasUsed;
  const cost = { gas: gasUsed, maxFeePerGas, maxPriorityFeePerGas: 0n };
  const planned = { ...cost, recipient: to ?? from, value: 0n, data: '0x', authorizations: [] };
  await tx.run(
    nonces().insert({
      ...{ chain, address: from, nonce, attempt: 0, operationId, hash, ...rowOf(planned) },
      ...{ settledAt: at, releasedAt: at, createdAt: NOW },
    }),
  );
}

export async function keepBroadcast(tx: Sql, number: string, at: Date): Promise<void> {
  await tx.run(nonces().where({ number, broadcastAt: null }).update({ broadcastAt: at }));
}

/** One of that nonce is in a block for good, and no other of it can be; an exported one of another nonce was not executed. */
export async function settleNonces(tx: Sql, operationId: string, nonce: number, at: Date): Promise<void> {
  const open = () => nonces().where({ operationId, settledAt: null, releasedAt: null });
  await tx.run(open().where({ raw: null }).whereNot({ nonce }).update({ releasedAt: at }));
  await tx.run(open().update({ settledAt: at }));
}

/**
 * Nothing of it is executed any more: what was never handed over frees its nonce, its bytes are dropped; what was reserves no gas.
 * @param options `isHandedOverToo`: nobody has that either. Its hash is kept: should somebody have had it, it is the operation's
 */
export async function releaseNonces(
  tx: Sql,
  operationId: string,
  { at, isHandedOverToo = false }: { at: Date; isHandedOverToo?: boolean },
): Promise<void> {
  const open = () => nonces().where({ operationId, settledAt: null, releasedAt: null });
  await tx.run(open().where({ broadcastAt: null }).update({ releasedAt: at, raw: null, hash: null }));
  if (isHandedOverToo) await tx.run(open().update({ releasedAt: at, raw: null, broadcastAt: null }));
  await tx.run(open().update({ settledAt: at }));
}

/**
 * The most that what has a nonce and is not settled can cost, in units of the native coin: of several attempts the dearest.
 * @param except the operation whose own is not counted
 */
export async function reservedOn(sql: Sql, chain: string, except: string | null): Promise<bigint> {
  const each = nonces()
    .select(raw('max(gas * max_fee_per_gas) as most'))
    .where({ chain, settledAt: null, releasedAt: null })
    .modify((query) => {
      if (except !== null) void query.whereNot('operationId', except);
    })
    .groupBy('address', 'nonce');
  return totalOf(sql, each);
}

async function totalOf(sql: Sql, each: ReturnType<typeof table>): Promise<bigint> {
  const [row] = await sql.run<{ total: string }>(
    table('rows').with('rows', each).select(raw('coalesce(sum(most), 0)::text as total')),
  );
  return BigInt(row?.total ?? 0);
}
