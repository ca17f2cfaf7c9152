import type { Knex } from 'knex';
import {
  anyOf,
  filtered,
  type IdPage,
  type Locking,
  locked,
  NOW,
  newestFirst,
  raw,
  table,
} from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { decimal, recordTable } from '../../kernel/db/record-table';
import type { Network } from '../networks/record';
import { SWEEPABLE, type Wallet, type WalletBond, type WalletStatus } from './record';
import { restedBy } from './rules';

/** The table of wallets, for the statements of this folder. */
export const wallets = recordTable<Wallet>('wallets', { gasBalance: decimal }, [
  ...['id', 'chain', 'address', 'derivationIndex', 'purpose', 'scope', 'adopted', 'attestation', 'status'],
  ...['quarantinedUntil', 'boundTo'],
  ...['gasBalance', 'gasBalanceAt', 'createdAt', 'updatedAt'],
]);

/** @param address checksummed */
export const findWallet = (sql: Sql, chain: string, address: string, locking: Locking = {}) =>
  wallets.one(sql, wallets().where({ chain, address }).modify(locked, locking));

export const findWalletById = (sql: Sql, id: string, locking: Locking = {}) =>
  wallets.one(sql, wallets().where({ id }).modify(locked, locking));

/** Finds wallets by their ids, in no order. */
export const findWallets = (sql: Sql, ids: readonly string[]): Promise<Wallet[]> =>
  wallets.all(sql, wallets().where(anyOf('id', ids)));

/** Locks wallets until the transaction ends. One order prevents deadlocks between transactions that lock several. */
export const lockWallets = (tx: Sql, ids: readonly string[]): Promise<unknown> =>
  tx.run(wallets().select('id').where(anyOf('id', ids)).orderBy('id').forNoKeyUpdate());

/** The addresses of a chain's pool, in the order of their derivation. */
export async function poolAddresses(sql: Sql, chain: string): Promise<string[]> {
  const rows = await sql.run<{ address: string }>(
    wallets().select('address').where({ chain, purpose: 'pool' }).orderBy('derivationIndex'),
  );
  return rows.map(({ address }) => address);
}

/**
 * The addresses that were added to the pools of a kind's networks after a number, and the number of the last one. The derivation lock
 * orders the numbers as the commits, so no address is passed over. The index `wallets_by_addition` has all that it reads.
 * @param after 0: all addresses
 */
export async function poolAddressesAfter(
  sql: Sql,
  kind: Network['kind'],
  after: number,
): Promise<{ addresses: string[]; last: number }> {
  const rows = await sql.run<{ address: string; added: string }>(
    wallets()
      .select('address', 'added')
      .where({ kind })
      .whereRaw(`purpose = 'pool'`) // as the predicate of the index
      .where('added', '>', after)
      .orderBy('added'),
  );
  return { addresses: rows.map(({ address }) => address), last: Number(rows.at(-1)?.added ?? after) };
}

/** @param chain absent: any chain */
export async function hasWallets(sql: Sql, chain?: string): Promise<boolean> {
  return (await sql.run(wallets().select('id').modify(filtered, { chain }).limit(1))).length > 0;
}

/**
 * Serialises deriving wallets of a kind until the transaction ends. Naming an address takes the lock, too, to know
 * whether the address is a wallet.
 */
export async function lockDerivation(tx: Sql, kind: Network['kind']): Promise<void> {
  // Raw: an advisory lock, because there is no row to lock yet.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 148))', [kind]);
}

const floors = () => table('wallet_index_floors');

/**
 * The index of a kind's next wallet: above all others, and not below the floor. The caller holds {@link
 * lockDerivation}.
 */
export async function nextIndex(sql: Sql, kind: Network['kind']): Promise<number> {
  const highest = wallets().where({ kind }).max('derivationIndex as highest');
  const [row] = await sql.run<{ highest: number | null }>(highest);
  const [floor] = await sql.run<{ lowest: number }>(floors().select('lowest').where({ kind }));
  return Math.max((row?.highest ?? -1) + 1, floor?.lowest ?? 0);
}

/** Raises the floor. The caller holds {@link lockDerivation}, and Postgres refuses a lower floor. */
export async function raiseFloor(tx: Sql, kind: Network['kind'], lowest: number): Promise<void> {
  await tx.run(floors().insert({ kind, lowest, updatedAt: NOW }).onConflict('kind').merge());
}

export type NewWallet = Pick<
  Wallet,
  'id' | 'chain' | 'address' | 'derivationIndex' | 'purpose' | 'scope' | 'attestation'
>;

/** Inserts wallets, available unless they are allocated at once. */
export async function insertWallets(
  tx: Sql,
  kind: Network['kind'],
  made: readonly (NewWallet & {
    status?: 'allocated';
    tenantId?: string | null;
    boundTo?: WalletBond | null;
    adopted?: true;
  })[],
): Promise<Wallet[]> {
  if (made.length === 0) return [];
  const rows = made.map((each) => ({ status: 'available', ...each, kind, createdAt: NOW, updatedAt: NOW }));
  return wallets.written(tx, wallets().insert(rows));
}

/** The condition repeats the predicate of the partial index that serves it. */
const MAY_TAKE_NATIVE = `bound_to is distinct from 'delegation'`;

/**
 * Locks a free pool wallet for a tenant: first a wallet that the tenant had, then an unused one. Skips wallets that
 * others are taking and wallets that are being swept.
 * @param forNative the payer pays in the native coin, so wallets bound to delegation are skipped
 */
export async function lockFreeWallet(
  tx: Sql,
  { chain, tenantId, forNative }: { chain: string; tenantId: string; forNative: boolean },
  at: Date,
): Promise<Wallet | undefined> {
  for (const holder of [tenantId, null]) {
    // FOR UPDATE, because the first allocation sets the tenant, which is part of a key.
    const pool = () =>
      wallets()
        .where({ chain, purpose: 'pool', tenantId: holder, sweepId: null, scope: null, adopted: false })
        .modify((query) => forNative && void query.whereRaw(MAY_TAKE_NATIVE))
        .orderBy(['quarantinedUntil', 'derivationIndex'])
        .limit(1)
        .forUpdate()
        .skipLocked();
    const available = pool().where({ status: 'available' });
    const ripe = pool().where({ status: 'quarantined' }).where('quarantinedUntil', '<=', at);
    const found = (await wallets.one(tx, available)) ?? (await wallets.one(tx, ripe));
    if (found) return found;
  }
  return undefined;
}

/** Updates wallets that the caller has locked. */
export function updateWallets(
  tx: Sql,
  ids: readonly string[],
  change: Partial<Pick<Wallet, 'status' | 'quarantinedUntil' | 'gasBalance' | 'gasBalanceAt'>> & {
    boundTo?: WalletBond;
    sweepId?: string;
    tenantId?: string;
  },
): Promise<Wallet[]> {
  const row = { ...wallets.row(change), updatedAt: NOW };
  return wallets.written(tx, wallets().where(anyOf('id', ids)).update(row));
}

/**
 * Makes rested wallets available again.
 * @returns how many, `limit` at most
 */
export async function returnRested(
  tx: Sql,
  { chain, at, to, limit }: { chain?: string | undefined; at: Date; to: WalletStatus; limit: number },
): Promise<number> {
  const ripe = wallets()
    .select('id')
    .where({ status: 'quarantined' })
    .where('quarantinedUntil', '<=', at)
    .modify(filtered, { chain })
    .orderBy('quarantinedUntil')
    .limit(limit)
    .forNoKeyUpdate()
    .skipLocked();
  const found = await tx.run<{ id: string }>(ripe);
  const ids = found.map(({ id }) => id);
  await updateWallets(tx, ids, { status: to, quarantinedUntil: null });
  return ids.length;
}

/** {@link restedBy} in SQL. */
const STATUS_AT = `case when quarantined_until <= ? then 'available' else status end`;

export interface StatusCount {
  chain: string;
  status: WalletStatus;
  count: number;
}

/** Counts the pool's wallets of each chain by their status at a time. Omits zero counts and adopted wallets. */
export const countByStatus = (sql: Sql, at: Date): Promise<StatusCount[]> =>
  sql.run(
    wallets()
      .select('chain', raw(`${STATUS_AT} as status`, [at]))
      .select(raw('count(*)::int as count'))
      .where({ purpose: 'pool', adopted: false })
      .groupByRaw('1, 2'),
  );

export type WalletFilter = Partial<Record<'chain' | 'status' | 'purpose' | 'address', string | undefined>>;

/** {@link restedBy} as a filter that the indexes of stored columns serve. */
function ofStatusAt(query: Knex.QueryBuilder, status: string, at: Date): void {
  const rested = raw(`(status = 'quarantined' and quarantined_until <= ?)`, [at]);
  if (status === 'available') void query.where((either) => void either.where({ status }).orWhere(rested));
  else void query.where({ status });
  if (status === 'quarantined') void query.whereRaw('coalesce(quarantined_until > ?, true)', [at]);
}

/** Lists wallets of the pool and of stations with their status at a time, newest first. */
export async function listWallets(
  sql: Sql,
  { status, ...filter }: WalletFilter,
  page: IdPage,
  at: Date,
): Promise<Wallet[]> {
  const query = wallets().modify(filtered, filter).modify(newestFirst, page);
  if (status !== undefined) void query.modify(ofStatusAt, status, at);
  return (await wallets.all(sql, query)).map((wallet) => restedBy(wallet, at));
}

const IS_USED = '(tenant_id is not null or adopted)';

/**
 * Lists the pool wallets of a chain that may be swept, in the order of their derivation.
 * @param used only wallets that were allocated once or adopted, so the books may hold money of them
 * @param among only these addresses
 */
export function sweepableWallets(
  sql: Sql,
  chain: string,
  { used = false, among }: { used?: boolean; among?: readonly string[] } = {},
): Promise<Wallet[]> {
  const query = wallets().where({ chain, purpose: 'pool' }).where(anyOf('status', SWEEPABLE));
  if (used) void query.whereRaw(IS_USED);
  if (among) void query.where(anyOf('address', among));
  return wallets.all(sql, query.orderBy('derivationIndex'));
}

/**
 * Whether a chain has {@link sweepableWallets} that were used, as SQL. The index `wallets_to_sweep` finds them.
 * @param chain an SQL expression
 */
export const hasUsedWallet = (chain: string): string =>
  `coalesce((select true from wallets w where w.chain = ${chain} and w.purpose = 'pool'
      and w.status in (${SWEEPABLE.map((status) => `'${status}'`).join(', ')}) and ${IS_USED}
      order by w.derivation_index limit 1), false)`;

/** Lists the wallets of a chain after an index, in the order of their derivation. Index: (kind, derivation_index). */
export const walletsAfter = (
  sql: Sql,
  { chain, kind }: Pick<Network, 'chain' | 'kind'>,
  after: number,
  limit: number,
): Promise<Wallet[]> =>
  wallets.all(
    sql,
    wallets()
      .where({ kind, chain })
      .where('derivationIndex', '>', after)
      .orderBy('derivationIndex')
      .limit(limit),
  );

/** The derivation index that an address of ours was stored with. */
export async function indexOfAddress(sql: Sql, address: string): Promise<number | undefined> {
  const [row] = await sql.run<Pick<Wallet, 'derivationIndex'>>(
    wallets().select('derivationIndex').where({ address }).limit(1),
  );
  return row?.derivationIndex;
}

/**
 * Lists the station wallets of a chain: present, former and unused. The condition repeats the predicate of the partial index
 * `wallets_of_stations`, which has no wallet of the pool.
 */
export const stationWallets = (sql: Sql, chain: string): Promise<Wallet[]> =>
  wallets.all(sql, wallets().where({ chain }).whereRaw(`purpose = 'station'`).orderBy('id'));

/**
 * Returns which addresses are our wallets or named stations. Includes former stations. Wallets are looked up by the address alone: with
 * the network as a second condition, and without statistics, Postgres reads the whole pool of the network.
 */
export async function ownAmong(
  sql: Sql,
  chain: string,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const named = table('named_addresses').select('address', 'chain').where({ chain, role: 'station' });
  const query = wallets()
    .select('address', 'chain')
    .where(anyOf('address', addresses))
    .union(named.where(anyOf('address', addresses)));
  const found = await sql.run<Pick<Wallet, 'address' | 'chain'>>(query);
  return new Set(found.flatMap((each) => (each.chain === chain ? [each.address] : [])));
}

/** Clears a wallet's sweep, unless another sweep holds the wallet. */
export const clearSweep = async (tx: Sql, id: string, sweepId: string): Promise<void> => {
  await tx.run(wallets().where({ id, sweepId }).update({ sweepId: null, updatedAt: NOW }));
};
