import { NOW, raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { json, recordTable, safeInteger, wholeUnits } from '../../../kernel/db/record-table';
import type { Attempt } from './nonces/record';

const nonces = recordTable<Attempt>('chain_nonces', {
  nonce: safeInteger,
  value: wholeUnits,
  authorizations: json,
  gas: wholeUnits,
  maxFeePerGas: wholeUnits,
  maxPriorityFeePerGas: wholeUnits,
  dataFee: wholeUnits,
});

/** The fields of a transaction except its nonce. */
export type Planned = Pick<
  Attempt,
  | 'recipient'
  | 'value'
  | 'data'
  | 'authorizations'
  | 'gas'
  | 'maxFeePerGas'
  | 'maxPriorityFeePerGas'
  | 'dataFee'
>;

export type NewAttempt = Planned &
  Pick<Attempt, 'chain' | 'address' | 'nonce' | 'attempt' | 'operationId' | 'cancels'>;

/** Serialises giving out nonces and reserving budget on a chain until the transaction ends. */
export async function lockNonces(tx: Sql, chain: string): Promise<void> {
  // Raw: an advisory lock, because a free nonce has no row.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 150))', [chain]);
}

/** Lists held nonces, from `from` on. */
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
 * Most coins that an address's unmined transactions may take. Of several attempts the most expensive counts.
 * @param from count of the address's mined transactions
 * @param except operation whose attempts are not counted
 */
export async function committedBy(
  sql: Sql,
  { chain, address, from, except }: { chain: string; address: string; from: number; except: string },
): Promise<bigint> {
  const each = nonces()
    .select(raw('max(value + gas * max_fee_per_gas + data_fee) as most'))
    .where({ chain, address, settledAt: null, releasedAt: null })
    .where('nonce', '>=', from)
    .whereNot('operationId', except)
    .groupBy('nonce');
  return totalOf(sql, each);
}

export const insertAttempt = (tx: Sql, given: NewAttempt): Promise<Attempt> =>
  nonces.saved(tx, nonces().insert({ ...nonces.row(given), createdAt: NOW }));

/** Replaces the fields of an attempt that is not signed here. */
export async function replan(tx: Sql, number: string, planned: Planned): Promise<Attempt> {
  const unsigned = nonces().where({ number, raw: null });
  const changed = await nonces.writtenOne(tx, unsigned.update(nonces.row(planned)));
  if (!changed) throw new Error(`the attempt ${number} is already signed`);
  return changed;
}

/** Lists the attempts that hold an operation's nonce, first one first, without reverted ones of people. */
export function attemptsOf(sql: Sql, operationId: string): Promise<Attempt[]> {
  const held = nonces()
    .where({ operationId, releasedAt: null })
    .where((either) => void either.whereNotNull('raw').orWhereNull('settledAt'));
  return nonces.all(sql, held.orderBy('attempt'));
}

/** Lists the attempts that people see. Includes given-up attempts, because somebody may have kept their bytes. */
export async function shownAttemptsOf(sql: Sql, operationId: string): Promise<Attempt[]> {
  const given = nonces().where({ operationId }).whereNotNull('releasedAt').whereNotNull('hash');
  return [...(await nonces.all(sql, given.orderBy('number'))), ...(await attemptsOf(sql, operationId))];
}

/** The operation that a transaction was signed for. */
export async function operationSigned(sql: Sql, chain: string, hash: string): Promise<string | undefined> {
  const [row] = await sql.run<{ operationId: string }>(nonces().select('operationId').where({ chain, hash }));
  return row?.operationId;
}

/** Finds another operation that was given this nonce. Undefined when this operation was given it, too. */
export async function otherHolderOf(
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

/** Lists settled attempts from a nonce on, each with the executed hash of its operation, by nonce. */
export async function settledFrom(
  sql: Sql,
  { chain, address, from, limit }: { chain: string; address: string; from: number; limit?: number },
): Promise<(Attempt & { executed: string | null })[]> {
  const rows = await sql.run<{ executed: string | null }>(
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
  return rows.map((row) => ({ ...nonces.record(row), executed: row.executed }));
}

/** Lists the settled attempts of an operation, even if another operation has the nonce since. */
export const settledOf = (sql: Sql, operationId: string): Promise<Attempt[]> =>
  nonces.all(sql, nonces().where({ operationId }).whereNotNull('settledAt').orderBy('number'));

/** Frees the nonce of a vanished transaction that a person executed. */
export async function releaseVanished(tx: Sql, number: string, at: Date): Promise<void> {
  await tx.run(nonces().where({ number, raw: null }).update({ releasedAt: at }));
}

/** Frees all nonces of a chain that was replaced by another chain. Transactions signed for the earlier one are void. */
export async function releaseAll(tx: Sql, chain: string, at: Date): Promise<void> {
  const held = nonces().where({ chain, releasedAt: null });
  await tx.run(held.update({ releasedAt: at, raw: null, hash: null }));
}

/** Stores signed bytes. Idempotent. A freed attempt with identical bytes passes its hash to this one. */
export function keepSigned(
  tx: Tx,
  { number, chain }: Pick<Attempt, 'number' | 'chain'>,
  { raw: bytes, hash }: { raw: string; hash: string },
): void {
  tx.defer(nonces().where({ chain, hash }).whereNotNull('releasedAt').update({ hash: null }));
  tx.defer(nonces().where({ number, raw: null, releasedAt: null }).update({ raw: bytes, hash }));
}

/** Broadcast attempts that no longer hold their nonce and are not booked. */
const freed = () => nonces().whereNotNull('releasedAt').where({ settledAt: null }).whereNotNull('hash');

const HELD_BY_NOBODY = `not exists (select from chain_nonces held where held.released_at is null
  and (held.chain, held.address, held.nonce) = (chain_nonces.chain, chain_nonces.address, chain_nonces.nonce))`;

/** Lists freed attempts of an address, newest first. @param nonce null: nonces that nobody else holds since */
export function freedOf(
  sql: Sql,
  { chain, address }: Pick<Attempt, 'chain' | 'address'>,
  nonce: number | null,
): Promise<Attempt[]> {
  const of = freed().where({ chain, address }).orderBy('number', 'desc');
  return nonces.all(sql, nonce === null ? of.whereRaw(HELD_BY_NOBODY) : of.where({ nonce }));
}

/** A transaction of an operation that a block has. */
type Found = Pick<Attempt, 'chain' | 'operationId'> & { hash: string };

const freedOne = ({ chain, operationId, hash }: Found) => freed().where({ chain, operationId, hash });

/** Settles a freed attempt that a block has after all. @returns false when there is none, or it is settled already */
export async function settleFreed(tx: Sql, found: Found, at: Date): Promise<boolean> {
  const settled = freedOne(found).update({ settledAt: at });
  return (await tx.run(settled.returning('number'))).length > 0;
}

/** A reverted transaction that a person has executed. */
type Reverted = Found & { nonce: number; from: string; to: string | null; gasUsed: bigint; fee: bigint };

/** Stores a reverted transaction, on the attempt with its nonce if any. @returns false when it is stored already */
export async function keepReverted(tx: Sql, reverted: Reverted, at: Date): Promise<boolean> {
  const { chain, operationId, nonce, hash } = reverted;
  if (await settleFreed(tx, reverted, at)) return true;
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

/** The row holds no nonce, because the chain itself shows that the nonce is used. */
async function insertReverted(
  tx: Sql,
  { chain, operationId, nonce, hash, from, to, gasUsed, fee }: Reverted,
  at: Date,
): Promise<void> {
  // Some chains have system transactions that use no gas.
  const maxFeePerGas = gasUsed === 0n ? 0n : fee / gasUsed;
  const planned: Planned = {
    recipient: to ?? from,
    value: 0n,
    data: '0x',
    authorizations: [],
    gas: gasUsed,
    maxFeePerGas,
    maxPriorityFeePerGas: 0n,
    dataFee: 0n,
  };
  const held = { chain, address: from, nonce, attempt: 0, operationId, hash, settledAt: at, releasedAt: at };
  await tx.run(nonces().insert({ ...nonces.row({ ...planned, ...held }), createdAt: NOW }));
}

export function keepBroadcast(tx: Tx, number: string, at: Date): void {
  tx.defer(nonces().where({ number, broadcastAt: null }).update({ broadcastAt: at }));
}

/** Whether a transaction cancels its operation. */
export async function isCancelling(sql: Sql, chain: string, hash: string): Promise<boolean> {
  const [row] = await sql.run<Pick<Attempt, 'cancels'>>(nonces().select('cancels').where({ chain, hash }));
  return row?.cancels ?? false;
}

/** @returns consecutive refusals, this one included */
export async function countRefusal(sql: Sql, number: string): Promise<number> {
  const counted = nonces()
    .where({ number })
    .update({ refusals: raw('refusals + 1') });
  const [row] = await sql.run<Pick<Attempt, 'refusals'>>(counted.returning('refusals'));
  return row?.refusals ?? 0;
}

export async function forgetRefusals(sql: Sql, number: string): Promise<void> {
  await sql.run(nonces().where({ number }).update({ refusals: 0 }));
}

/** Settles the attempts of a final transaction. Frees the nonce of an export that was not executed. */
export function settleNonces(tx: Tx, executed: Found & { nonce: number }, at: Date): void {
  const { operationId, nonce } = executed;
  const open = () => nonces().where({ operationId, settledAt: null, releasedAt: null });
  tx.defer(open().where({ raw: null }).whereNot({ nonce }).update({ releasedAt: at }));
  tx.defer(open().update({ settledAt: at }));
  tx.defer(freedOne(executed).update({ settledAt: at }));
}

/**
 * Ends an operation's attempts. Frees the nonce and drops the bytes of an attempt before its broadcast. A broadcast
 * attempt keeps its nonce and reserves no gas.
 * @param options `isHandedOverToo`: no node has the broadcast attempts either, so their nonces are freed. Their hashes
 *   are kept, in case somebody has the bytes
 */
export function releaseNonces(
  tx: Tx,
  operationId: string,
  { at, isHandedOverToo = false }: { at: Date; isHandedOverToo?: boolean },
): void {
  const open = () => nonces().where({ operationId, settledAt: null, releasedAt: null });
  tx.defer(open().where({ broadcastAt: null }).update({ releasedAt: at, raw: null, hash: null }));
  if (isHandedOverToo) tx.defer(open().update({ releasedAt: at, raw: null, broadcastAt: null }));
  tx.defer(open().update({ settledAt: at }));
}

/**
 * Most that unsettled attempts can cost, in the native coin's smallest units. Of several attempts the most expensive
 * counts.
 * @param except operation whose attempts are not counted
 */
export async function reservedOn(sql: Sql, chain: string, except: string | null): Promise<bigint> {
  const each = nonces()
    .select(raw('max(gas * max_fee_per_gas + data_fee) as most'))
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
