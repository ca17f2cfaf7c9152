import { z } from 'zod';
import { type Locking } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import type { Keyring } from '../../kernel/security/keyring';
import { checkedAddress } from '../../parties/chain/addresses';
import { findNetwork, listNetworks, requireNetwork } from '../networks/operations';
import type { Network } from '../networks/record';
import { findAllocation, newestAllocationOf } from './allocations/store';
import { isAttested } from './attestation';
import { type Allocation, WALLET_STATUSES, type Wallet, type WalletStatus } from './record';
import { countByStatus, findWallet, walletsAfter } from './store';

export { adoptWallets, type Stray, stationsElsewhere, straysAmong } from './adopt';
export { joinScope } from './allocations/scope';
export { countAllocatedFor, findHeldFor, newestAllocationOf, ownerAt, ownersAt } from './allocations/store';
export { attested, shownAddress } from './attestation';
export { stationWalletOf } from './held-station';
export { deriveWallets } from './seed/derive';
export { keepRole, namedAddresses, nameTreasury, rolesOf } from './seed/named-addresses';
export {
  findWallet,
  findWalletById,
  findWallets,
  hasUsedWallet,
  hasWallets,
  indexOfAddress,
  listWallets,
  lockDerivation,
  lockWallets,
  ownAmong,
  poolAddresses,
  poolAddressesAfter,
  stationWallets,
  sweepableWallets,
} from './store';

/** Wallets that {@link forgedWallets} reads at once, so that the hashes of many do not occupy the process. */
const PORTION = 1_000;

/** Lists the wallets of a chain that the product has not derived. */
export async function forgedWallets(
  sql: Sql,
  keyring: Keyring,
  network: Pick<Network, 'chain' | 'kind'>,
): Promise<Wallet[]> {
  const forged: Wallet[] = [];
  for (let after = -1; ; ) {
    const found = await walletsAfter(sql, network, after, PORTION);
    forged.push(...found.filter((wallet) => !isAttested(keyring, wallet)));
    const last = found.at(-1);
    if (last === undefined || found.length < PORTION) return forged;
    after = last.derivationIndex;
  }
}

/**
 * Finds a wallet by an address in any spelling that its kind of chain allows.
 * @throws Problem 404 naming `chain` or `address`
 */
export async function requireWallet(
  sql: Sql,
  { chain, address }: { chain: string; address: string },
  locking: Locking = {},
): Promise<{ network: Network; wallet: Wallet }> {
  const network = await requireNetwork(sql, chain, { field: 'chain' });
  const wallet = await walletAt(sql, network, address, locking);
  if (!wallet) throw notFound('wallet', 'address');
  return { network, wallet };
}

async function walletAt(
  sql: Sql,
  { chain, kind }: Network,
  address: string,
  locking: Locking = {},
): Promise<Wallet | undefined> {
  const checked = checkedAddress(kind, address);
  return checked === undefined ? undefined : findWallet(sql, chain, checked, locking);
}

/**
 * The tenant who last had the wallet that a body names by `chain` and `address`.
 * @returns at most one
 */
export async function holdersOf(sql: Sql, body: unknown): Promise<string[]> {
  const named = z.object({ chain: z.string(), address: z.string() }).safeParse(body);
  if (!named.success) return [];
  const network = await findNetwork(sql, named.data.chain);
  const wallet = network && (await walletAt(sql, network, named.data.address));
  const newest = wallet && (await newestAllocationOf(sql, null, wallet.id));
  return newest ? [newest.tenantId] : [];
}

/** Finds an allocation of any tenant. */
export const findAllocationById = (sql: Sql, id: string): Promise<Allocation | undefined> =>
  findAllocation(sql, { id });

export type PoolStats = { chain: string; total: number } & Record<WalletStatus, number>;

/** Counts the pool's wallets of each network by their status at a time. */
export async function poolStats(sql: Sql, at: Date): Promise<PoolStats[]> {
  const [networks, counts] = [await listNetworks(sql), await countByStatus(sql, at)];
  return networks.map(({ chain }) => {
    const of = (status: WalletStatus) =>
      counts.find((each) => each.chain === chain && each.status === status)?.count ?? 0;
    const [available, allocated, quarantined, disabled] = WALLET_STATUSES.map(of) as [
      number,
      number,
      number,
      number,
    ];
    const total = available + allocated + quarantined + disabled;
    return { chain, available, allocated, quarantined, disabled, total };
  });
}
