import { anyOf, filtered, raw, snakeCase, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { recordTable } from '../../../kernel/db/record-table';
import type { Keyring } from '../../../kernel/security/keyring';
import { overdueIn } from '../../../process/overdue';
import { isAttested } from '../attestation';
import type { Allocation, Wallet } from '../record';
import { laterBy } from '../rules';

const COLUMNS = [
  ...['a.id', 'a.walletId', 'w.chain', 'w.address', 'a.tenantId', 'a.accountId', 'a.asset', 'a.reference'],
  ...[
    'a.permanent',
    'a.scope',
    'a.scopeOf',
    'a.expiresAt',
    'a.startedAt',
    'a.endedAt',
    'a.createdAt',
    'a.updatedAt',
  ],
];

const rows = () => table('wallet_allocations');
const records = recordTable<Allocation>('wallet_allocations as a', {}, COLUMNS);
const allocations = () => records().join('wallets as w', 'w.id', 'a.walletId');

/**
 * Counts a tenant's allocations that are open at a time, or whose wallets still rest. Expiry counts, not the moment it
 * was noticed. An address of a scope counts once.
 * @param upTo stops counting there
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
  // Raw: an index-only count.
  const [row] = await sql.query<{ count: number }>(
    `select count(*)::int as count
       from (select from wallet_allocations
              where tenant_id = $1 and scope_of is null and coalesce(ended_at, expires_at, 'infinity'::timestamptz) > $2 limit $3) counted`,
    [tenantId, laterBy(at, -quarantineSeconds), upTo],
  );
  return row?.count ?? 0;
}

/** Counts the wallets of a chain that are allocated for an asset now. */
export async function countAllocatedFor(sql: Sql, chain: string, asset: string): Promise<number> {
  const query = table('wallet_allocations')
    .join('wallets', 'wallets.id', 'wallet_allocations.wallet_id')
    .where({ 'wallets.chain': chain, asset })
    .whereNull('endedAt');
  const [row] = await sql.run<{ count: number }>(query.select(raw('count(*)::int as count')));
  return row?.count ?? 0;
}

/** Finds an open allocation for an account. */
export const findHeldFor = (sql: Sql, accountId: string): Promise<Allocation | undefined> =>
  records.one(sql, allocations().where({ 'a.account_id': accountId }).whereNull('a.ended_at').limit(1));

/** @param by a reference finds the first row of a scope's allocation */
export function findAllocation(
  sql: Sql,
  by: { id: string } | { tenantId: string; reference: string },
): Promise<Allocation | undefined> {
  const first = 'reference' in by ? { ...by, scopeOf: null } : by;
  const where = Object.fromEntries(Object.entries(first).map(([name, value]) => [`a.${name}`, value]));
  return records.one(sql, allocations().where(where));
}

/**
 * The newest allocation of a wallet.
 * @param reach the tenant, or null for any
 */
export function newestAllocationOf(
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
  return records.one(sql, query);
}

export type NewAllocation = Omit<Allocation, 'endedAt' | 'createdAt' | 'updatedAt'>;

export const insertAllocation = (tx: Sql, allocation: NewAllocation): Promise<void> =>
  insertAllocations(tx, [allocation]);

export async function insertAllocations(tx: Sql, made: readonly NewAllocation[]): Promise<void> {
  if (made.length === 0) return;
  const inserted = made.map(({ chain: _chain, address: _address, ...allocation }) => {
    const { startedAt, expiresAt } = allocation;
    return { ...allocation, dueBy: expiresAt, createdAt: startedAt, updatedAt: startedAt };
  });
  await tx.run(rows().insert(inserted));
}

/**
 * Lists open allocations of a scope that have no open row on a chain, each by its first row, with the index of its wallet.
 * The index `wallet_allocations_scoped` serves the query.
 * @param after id of the last one of the previous call
 */
export async function openOfScope(
  sql: Sql,
  { chain, after, limit }: { chain: string; after: string; limit: number },
): Promise<(NewAllocation & Pick<Wallet, 'derivationIndex'>)[]> {
  const isThere = table('wallets as own')
    .join('wallet_allocations as member', 'member.walletId', 'own.id')
    .where({ 'own.chain': chain })
    .whereRaw('own.kind = w.kind and own.derivation_index = w.derivation_index and member.ended_at is null');
  const query = allocations()
    .select(...COLUMNS, 'w.derivationIndex')
    .whereRaw('a.scope is not null and a.scope_of is null and a.ended_at is null')
    .where('a.id', '>', after)
    .whereNotExists(isThere)
    .orderBy('a.id')
    .limit(limit);
  const found = await sql.run<Allocation & Pick<Wallet, 'derivationIndex'>>(query);
  return found.map(({ endedAt: _ended, createdAt: _created, updatedAt: _updated, ...open }) => open);
}

/** The rows of an allocation, one for each network, by the name of the network. */
export const rowsOfAllocation = (
  sql: Sql,
  { id, scopeOf }: Pick<Allocation, 'id' | 'scopeOf'>,
): Promise<Allocation[]> =>
  records.all(
    sql,
    allocations()
      .where((either) => void either.where({ 'a.id': scopeOf ?? id }).orWhere({ 'a.scopeOf': scopeOf ?? id }))
      .orderBy('w.chain'),
  );

/**
 * Ends open allocations at their expiry, however late that is noticed. One without an expiry, or released earlier, ends
 * at `at`.
 * @returns ids of the wallets that they held
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
 * Locks the wallets of expired allocations, longest overdue first, and skips those that others are ending. Checks
 * `expires_at`, because `due_by` may be earlier after a look. The index of `due_by` serves the query.
 */
export const lockExpired = (
  tx: Sql,
  { chain, at, limit }: { chain?: string | undefined; at: Date; limit: number },
): Promise<Allocation[]> =>
  records.all(
    tx,
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

/** A block's time may precede our clock by this much, because chains count whole seconds and slots of twelve. */
const BLOCKS_EARLIER = '15 seconds';

/** A payment to an address in a block of that time. */
export interface Paid {
  address: string;
  at: Date;
}

// Raw: looks up any number of payments in one statement, each by the index of its wallet's allocations.
const OWNERS = `
  select paid.place::int as place, held.*
    from unnest($2::text[], $3::timestamptz[]) with ordinality as paid(address, at, place)
   cross join lateral (
     select ${COLUMNS.map((column) => `${snakeCase(column)} as "${column.slice(2)}"`).join(', ')},
            w.derivation_index as "derivationIndex", w.purpose, w.attestation
       from wallet_allocations a join wallets w on w.id = a.wallet_id
      where w.chain = $1 and w.address = paid.address
        and a.started_at - interval '${BLOCKS_EARLIER}' <= paid.at
        and paid.at < all (array_remove(array[a.ended_at, a.expires_at], null))
        and (a.started_at <= paid.at
             or not exists (select from wallet_allocations before
                             where before.wallet_id = a.wallet_id and before.started_at < a.started_at))
      order by a.started_at desc limit 1) held`;

interface Owner extends Allocation, Pick<Wallet, 'derivationIndex' | 'purpose' | 'attestation'> {
  place: number;
}

/**
 * Finds the allocations that held wallets when blocks were made, from their beginning until their end or expiry. A
 * wallet's first allocation counts from a little earlier: nobody else knew the address, so an early block time must be
 * its payer's. With an earlier allocation, the payment may be that payer's. A wallet that is not attested has no owner.
 * @returns in the order of the payments; undefined for a wallet without an allocation at that time
 */
export async function ownersAt(
  sql: Sql,
  keyring: Keyring,
  chain: string,
  paid: readonly Paid[],
): Promise<(Allocation | undefined)[]> {
  const values = [chain, paid.map(({ address }) => address), paid.map(({ at }) => at)];
  const rows = await sql.query<Owner>(OWNERS, values);
  const owners: (Allocation | undefined)[] = paid.map(() => undefined);
  for (const { place, derivationIndex, purpose, attestation, ...owner } of rows) {
    const wallet = { ...owner, id: owner.walletId, derivationIndex, purpose, attestation };
    if (isAttested(keyring, wallet)) owners[place - 1] = owner;
  }
  return owners;
}

/** {@link ownersAt} of one payment. */
export const ownerAt = async (
  sql: Sql,
  keyring: Keyring,
  { chain, ...paid }: Paid & { chain: string },
): Promise<Allocation | undefined> => (await ownersAt(sql, keyring, chain, [paid]))[0];
