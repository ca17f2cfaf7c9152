import { anyOf, filtered, raw, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { overdueIn } from '../../../process/overdue';
import type { Allocation } from '../record';

const COLUMNS = [
  ...['a.id', 'a.walletId', 'w.chain', 'w.address', 'a.tenantId', 'a.accountId', 'a.asset', 'a.reference'],
  ...['a.expiresAt', 'a.startedAt', 'a.endedAt', 'a.createdAt', 'a.updatedAt'],
];

const rows = () => table('wallet_allocations');
const allocations = () =>
  table('wallet_allocations as a').join('wallets as w', 'w.id', 'a.walletId').select(COLUMNS);

/**
 * A tenant's allocations are made one after another: of several at once under one reference one takes a wallet, and none is made
 * beside another that would have reached the tenant's bound.
 */
export async function lockAllocationsOf(tx: Sql, tenantId: string): Promise<void> {
  // Raw: an advisory lock, for there is no row yet that could be locked.
  await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 149))`, [tenantId]);
}

/** Whether a tenant's allocations that hold their wallets at that time are so many. No more of them are read. */
export async function holdsAtLeast(
  sql: Sql,
  { tenantId, at, count }: { tenantId: string; at: Date; count: number },
): Promise<boolean> {
  const held = rows()
    .select('id')
    .where({ tenantId })
    .whereNull('endedAt')
    .where((open) => void open.whereNull('expiresAt').orWhere('expiresAt', '>', at))
    .limit(count);
  return (await sql.run(held)).length >= count;
}

export async function findAllocation(
  sql: Sql,
  by: { id: string } | { tenantId: string; reference: string },
): Promise<Allocation | undefined> {
  const where = Object.fromEntries(Object.entries(by).map(([name, value]) => [`a.${name}`, value]));
  return (await sql.run<Allocation>(allocations().where(where)))[0];
}

/** The newest of a wallet. @param reach whose it must be, or null for any tenant's */
export async function newestAllocationOf(
  sql: Sql,
  reach: string | null,
  walletId: string,
): Promise<Allocation | undefined> {
  const query = allocations()
    .where({ 'a.walletId': walletId })
    .modify(filtered, { 'a.tenantId': reach })
    .orderBy('a.startedAt', 'desc')
    .orderBy('a.id', 'desc')
    .limit(1);
  return (await sql.run<Allocation>(query))[0];
}

export async function insertAllocation(
  tx: Sql,
  {
    chain: _chain,
    address: _address,
    ...allocation
  }: Omit<Allocation, 'endedAt' | 'createdAt' | 'updatedAt'>,
): Promise<void> {
  const { startedAt, expiresAt } = allocation;
  const times = { dueBy: expiresAt, createdAt: startedAt, updatedAt: startedAt };
  await tx.run(rows().insert({ ...allocation, ...times }));
}

/**
 * Ends those that have not ended: when they should have, however late that is noticed; one that has no such time, or is released before
 * it, at `at`.
 * @returns the wallets that they held
 */
export async function endAllocations(tx: Sql, ids: readonly string[], at: Date): Promise<string[]> {
  const endedAt = raw('least(expires_at, ?::timestamptz)', [at]);
  const ended = await tx.run<{ walletId: string }>(
    rows()
      .where(anyOf('id', ids))
      .whereNull('endedAt')
      .update({ endedAt, updatedAt: at })
      .returning('walletId'),
  );
  return ended.map(({ walletId }) => walletId);
}

/** Those whose time has passed, the longest first, with the locks of their wallets; what others are ending is passed over. */
export const lockExpired = (
  tx: Sql,
  { chain, at, limit }: { chain?: string | undefined; at: Date; limit: number },
): Promise<Allocation[]> =>
  tx.run(
    allocations()
      .whereNull('a.endedAt')
      .where('a.dueBy', '<=', at)
      .modify(filtered, { 'w.chain': chain })
      .orderBy('a.dueBy')
      .limit(limit)
      .forNoKeyUpdate('w')
      .skipLocked(),
  );

export const overdueAllocations = overdueIn<Pick<Allocation, 'id' | 'tenantId'>>('wallet_allocations', {
  columns: ['id', 'tenantId'],
  dueBy: 'due_by',
  open: 'ended_at is null and due_by is not null',
});

/** A block's time may lie so long before the clock that stamped the allocation: chains count whole seconds, and slots of twelve. */
const BLOCKS_EARLIER = '15 seconds';

/**
 * The allocation that held a wallet when a block was made: from when it began until it ended, or should have. The first of a wallet
 * counts from a little earlier: nobody else was ever told the address, so its payer's block carries an early time. Of a wallet that
 * had another before, that may be the money of the one before.
 */
export async function ownerAt(
  sql: Sql,
  { chain, address, at }: { chain: string; address: string; at: Date },
): Promise<Allocation | undefined> {
  const earlier = rows()
    .select('walletId')
    .whereRaw('wallet_allocations.wallet_id = a.wallet_id and wallet_allocations.started_at < a.started_at');
  const query = allocations()
    .where({ 'w.chain': chain, 'w.address': address })
    .where(raw(`a.started_at - interval '${BLOCKS_EARLIER}' <= ?`, [at]))
    .where(raw('? < all (array_remove(array[a.ended_at, a.expires_at], null))', [at]))
    .where((begun) => void begun.where('a.startedAt', '<=', at).orWhereNotExists(earlier))
    .orderBy('a.startedAt', 'desc')
    .limit(1);
  return (await sql.run<Allocation>(query))[0];
}
