import { anyOf, NOW, raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { Allocation, Wallet } from './record';

export const WALLET_COLUMNS = [
  ...['id', 'chain', 'address', 'derivationIndex', 'purpose', 'status', 'quarantinedUntil'],
  ...['createdAt', 'updatedAt'],
];
const ALLOCATION_COLUMNS = [
  ...['a.id', 'a.walletId', 'w.chain', 'w.address', 'a.tenantId', 'a.accountId', 'a.asset', 'a.reference'],
  ...['a.expiresAt', 'a.startedAt', 'a.endedAt', 'a.createdAt', 'a.updatedAt'],
];

const wallets = () => table('wallets');
const allocations = () =>
  table('wallet_allocations as a').join('wallets as w', 'w.id', 'a.walletId').select(ALLOCATION_COLUMNS);

/** @param address as the chain's checksum writes it @param lock to the end of the transaction */
export async function findWallet(
  sql: Sql,
  chain: string,
  address: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<Wallet | undefined> {
  const query = wallets().select(WALLET_COLUMNS).where({ chain, address });
  if (lock) void query.forNoKeyUpdate();
  const [found] = await sql.run<Wallet>(query);
  return found;
}

/** The wallets of these ids, in no order. */
export const findWallets = (sql: Sql, ids: readonly string[]): Promise<Wallet[]> =>
  sql.run(wallets().select(WALLET_COLUMNS).where(anyOf('id', ids)));

/** The addresses of a chain's pool, in the order of their derivation. */
export async function poolAddresses(sql: Sql, chain: string): Promise<string[]> {
  const rows = await sql.run<{ address: string }>(
    wallets().select('address').where({ chain, purpose: 'pool' }).orderBy('derivationIndex'),
  );
  return rows.map(({ address }) => address);
}

export async function hasWallets(sql: Sql): Promise<boolean> {
  return (await sql.run(wallets().select('id').limit(1))).length > 0;
}

/** The place in the derivation of a chain's next wallet. Nobody else derives one of it until the transaction ends. */
export async function nextIndex(tx: Sql, chain: string): Promise<number> {
  // Raw: an advisory lock, for there is no row yet that could be locked.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 148))', [chain]);
  const [row] = await tx.run<{ next: number }>(
    wallets().where({ chain }).select(raw('coalesce(max(derivation_index) + 1, 0) as next')),
  );
  return row?.next ?? 0;
}

export const insertWallets = (
  tx: Sql,
  made: readonly Pick<Wallet, 'id' | 'chain' | 'address' | 'derivationIndex' | 'purpose'>[],
): Promise<Wallet[]> =>
  tx.run(
    wallets()
      .insert(made.map((each) => ({ ...each, status: 'available', createdAt: NOW, updatedAt: NOW })))
      .returning(WALLET_COLUMNS),
  );

/** A block's time may lie so long before the clock that stamped the allocation: chains count whole seconds, and slots of twelve. */
const BLOCKS_EARLIER = '60 seconds';

/**
 * The allocation that held a wallet when a block was made: from when it began until it ended, or should have. One that began
 * within a minute after the block counts, where none held it then, for its payer cannot have paid before it was told the address.
 */
export async function ownerAt(
  sql: Sql,
  { chain, address, at }: { chain: string; address: string; at: Date },
): Promise<Allocation | undefined> {
  const [found] = await sql.run<Allocation>(
    allocations()
      .where({ 'w.chain': chain, 'w.address': address })
      .where(raw(`a.started_at - interval '${BLOCKS_EARLIER}' <= ?`, [at]))
      .where(raw('? < all (array_remove(array[a.ended_at, a.expires_at], null))', [at]))
      .orderByRaw('a.started_at <= ? desc, a.started_at desc', [at])
      .limit(1),
  );
  return found;
}
