import { anyOf, filtered, raw, snakeCase, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { overdueIn } from '../../../process/overdue';
import type { Allocation } from '../record';
import { laterBy } from '../rules';

const COLUMNS = [
  ...['a.id', 'a.walletId', 'w.chain', 'w.address', 'a.tenantId', 'a.accountId', 'a.asset', 'a.reference'],
  ...['a.expiresAt', 'a.startedAt', 'a.endedAt', 'a.createdAt', 'a.updatedAt'],
];

const rows = () => table('wallet_allocations');
const allocations = () =>
  table('wallet_allocations as a').join('wallets as w', 'w.id', 'a.walletId').select(COLUMNS);

/**
 * How many of a tenant's allocations hold their wallets at that time, or have ended so lately that these rest, by the time at which
 * each should have ended. @param upTo no more of them are counted
 */
export async function countHeldOrResting(
  sql: Sql,
  {
    tenantId,
    at,
    quarantineSeconds,
    upTo,
  }: { tenantId: string; at: Date; quarantineSeconds: number; upTo: number },
): Promise<number> {
  // Raw: counted where they stand, by their index alone.
  const [row] = await sql.query<{ count: number }>(
    `select count(*)::int as count
       from (select from wallet_allocations
              where tenant_id = $1 and coalesce(ended_at, expires_at, 'infinity'::timestamptz) > $2 limit $3) counted`,
    [tenantId, laterBy(at, -quarantineSeconds), upTo],
  );
  return row?.count ?? 0;
}

/** How many wallets of a chain are allocated for an asset now. */
export async function countAllocatedFor(sql: Sql, chain: string, asset: string): Promise<number> {
  const query = table('wallet_allocations')
    .join('wallets', 'wallets.id', 'wallet_allocations.wallet_id')
    .where({ 'wallets.chain': chain, asset })
    .whereNull('endedAt');
  const [row] = await sql.run<{ count: number }>(query.select(raw('count(*)::int as count')));
  return row?.count ?? 0;
}

/** Finds an open allocation for an account. */
export async function findHeldFor(sql: Sql, accountId: string): Promise<Allocation | undefined> {
  const [held] = await sql.run<Allocation>(
    allocations().where({ 'a.account_id': accountId }).whereNull('a.ended_at').limit(1),
  );
  return held;
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

/**
 * Those whose time has passed, the longest first, with the locks of their wallets; what others are ending is passed over. An overdue
 * process alone ends nothing: it may have been told to look sooner. Found by the index of `due_by`, which is never later.
 */
export const lockExpired = (
  tx: Sql,
  { chain, at, limit }: { chain?: string | undefined; at: Date; limit: number },
): Promise<Allocation[]> =>
  tx.run(
    allocations()
      .whereNull('a.endedAt')
      .where('a.dueBy', '<=', at)
      .where('a.expiresAt', '<=', at)
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

/** An address that was paid in a block of that time. */
export interface Paid {
  address: string;
  at: Date;
}

// Raw: payments of any number in one statement, each looked up by the index of its wallet's allocations.
const OWNERS = `
  select paid.place::int as place, held.*
    from unnest($2::text[], $3::timestamptz[]) with ordinality as paid(address, at, place)
   cross join lateral (
     select ${COLUMNS.map((column) => `${snakeCase(column)} as "${column.slice(2)}"`).join(', ')}
       from wallet_allocations a join wallets w on w.id = a.wallet_id
      where w.chain = $1 and w.address = paid.address
        and a.started_at - interval '${BLOCKS_EARLIER}' <= paid.at
        and paid.at < all (array_remove(array[a.ended_at, a.expires_at], null))
        and (a.started_at <= paid.at
             or not exists (select from wallet_allocations before
                             where before.wallet_id = a.wallet_id and before.started_at < a.started_at))
      order by a.started_at desc limit 1) held`;

/**
 * The allocations that held wallets when blocks were made: each from when it began until it ended, or should have. The first of a wallet
 * counts from a little earlier: nobody else was ever told the address, so its payer's block carries an early time. Of a wallet that
 * had another before, that may be the money of the one before.
 * @returns in the order of the payments; nothing for one to a wallet that nobody held
 */
export async function ownersAt(
  sql: Sql,
  chain: string,
  paid: readonly Paid[],
): Promise<(Allocation | undefined)[]> {
  const values = [chain, paid.map(({ address }) => address), paid.map(({ at }) => at)];
  const rows = await sql.query<Allocation & { place: number }>(OWNERS, values);
  const owners: (Allocation | undefined)[] = paid.map(() => undefined);
  for (const { place, ...owner } of rows) owners[place - 1] = owner;
  return owners;
}

/** The same of one payment. */
export const ownerAt = async (
  sql: Sql,
  { chain, ...paid }: Paid & { chain: string },
): Promise<Allocation | undefined> => (await ownersAt(sql, chain, [paid]))[0];
