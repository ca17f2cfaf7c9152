import { type Locking } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, invalid, notFound } from '../../kernel/errors';
import { ensureChainAccounts, ensureInternalAccounts } from '../../kernel/ledger/accounts';
import { ensureCoin } from '../../kernel/ledger/coins';
import type { Services } from '../../services';
import { openUrls, sealUrls } from './addresses';
import type { Following } from './following';
import type { Network, NetworkAsset, NetworkSettings } from './record';
import {
  findNetwork,
  findSealedNetwork,
  insertNetwork,
  listNetworks,
  listSealedNetworks,
  lockOtherOfChain,
  type SealedNetwork,
  updateNetwork,
} from './store';

export { findNetwork, isAnyEnabled, listNetworks, lockEnabledNetworks } from './store';

export const enabledNetworks = async (sql: Sql): Promise<Network[]> =>
  (await listNetworks(sql)).filter(({ enabled }) => enabled);

/**
 * @param field request field that names the chain
 * @throws Problem 404
 */
export async function requireNetwork(
  sql: Sql,
  chain: string,
  { field, ...locking }: Locking & { field?: string } = {},
): Promise<Network> {
  const found = await findNetwork(sql, chain, locking);
  if (!found) throw notFound('network', field);
  return found;
}

export const assetOf = ({ assets }: Network, symbol: string): NetworkAsset | undefined =>
  assets.find((asset) => asset.symbol === symbol);

/** All settings of a network. */
export interface NetworkTerms extends NetworkSettings {
  rpcUrls: readonly string[];
}

/** A network with its node addresses in clear. They may hold credentials, so never show, log or store them. */
export interface OpenedNetwork {
  network: Network;
  rpcUrls: readonly string[];
}

export const termsOf = ({ network, rpcUrls }: OpenedNetwork): NetworkTerms => ({ ...network, rpcUrls });

/** Whether both terms name the same nodes, chain, finality, fees and tokens. */
export const isReachedAlike = (one: NetworkTerms, other: NetworkTerms): boolean =>
  reachedBy(one) === reachedBy(other);

const reachedBy = ({ chainId, rpcUrls, finality, feeModel, assets }: NetworkTerms): string =>
  JSON.stringify([
    ...[chainId, rpcUrls, finality, feeModel],
    assets.map(({ contract, decimals }) => [contract, decimals]),
  ]);

export async function findOpened(
  { keyring }: Pick<Services, 'keyring'>,
  sql: Sql,
  chain: string,
  locking: Locking = {},
): Promise<OpenedNetwork | undefined> {
  const found = await findSealedNetwork(sql, chain, locking);
  return found && openedBy(keyring, found);
}

export const listOpened = async (
  { keyring }: Pick<Services, 'keyring'>,
  sql: Sql,
): Promise<OpenedNetwork[]> => (await listSealedNetworks(sql)).map((each) => openedBy(keyring, each));

const openedBy = (keyring: Services['keyring'], { rpcUrls, ...network }: SealedNetwork): OpenedNetwork => ({
  network,
  rpcUrls: openUrls(keyring, network.chain, rpcUrls),
});

/** Tells what a chain is used for. A chain in use keeps its id and the assets that it holds. */
type Using = Pick<Following, 'isUsed' | 'heldBy'>;

/**
 * Checks under the network's lock whether terms can be saved. Changes nothing.
 * @param version version that the caller has read; 0 for a new network
 * @throws Problem 404 for a chain without a network, unless the version is 0; 409 `version_conflict`, or
 *   `invalid_transition` naming what holds an asset that would be dropped; 400 naming `kind` or `chainId`
 */
export async function assertSavable(
  { keyring }: Pick<Services, 'keyring'>,
  tx: Tx,
  chain: string,
  terms: NetworkTerms,
  version: number,
  using: Using = IN_USE,
): Promise<OpenedNetwork | undefined> {
  const before = await findOpened({ keyring }, tx, chain, { lock: 'update' });
  if (!before && version !== 0) throw notFound('network');
  if ((before?.network.version ?? 0) !== version) throw versionConflict();
  if (before) {
    await assertSameChain(before.network, terms, () => using.isUsed(tx, chain));
    await assertNothingDropped(tx, before.network, terms, using);
  }
  await assertOnlyOne(tx, chain, terms);
  return before;
}

/**
 * Saves all settings of a network, or creates it, and opens the ledger accounts of its assets.
 * @throws Problem as {@link assertSavable}
 */
export async function saveNetwork(
  { keyring, now }: Pick<Services, 'keyring' | 'now'>,
  tx: Tx,
  chain: string,
  terms: NetworkTerms,
  version: number,
  using: Using = IN_USE,
): Promise<{ before: OpenedNetwork | undefined; after: Network }> {
  const before = await assertSavable({ keyring }, tx, chain, terms, version, using);
  const row = { ...terms, rpcUrls: sealUrls(keyring, chain, terms.rpcUrls) };
  const after = before
    ? await updateNetwork(tx, chain, row, version + 1)
    : await insertNetwork(tx, chain, row, now());
  if (!after) throw versionConflict();
  for (const { symbol, contract, decimals } of terms.assets) {
    if (contract === null) await ensureCoin(tx, { symbol, decimals }, now());
    await ensureInternalAccounts(tx, symbol);
    await ensureChainAccounts(tx, chain, symbol);
  }
  return { before, after };
}

/** Default: the chain is in use, and no dropped asset is held. */
const IN_USE = { isUsed: async () => true, heldBy: async () => [] };

const versionConflict = () =>
  conflict('version_conflict', 'The network has another version now: read it again.', 'version');

/** Wallets, read blocks and books belong to one chain, so another chain needs another network. */
async function assertSameChain(
  before: Network,
  { kind, chainId }: NetworkTerms,
  isUsed: () => Promise<boolean>,
): Promise<void> {
  if (kind !== before.kind)
    throw invalid('kind cannot be changed: create another network for another chain.', 'kind');
  if (chainId !== before.chainId && (before.enabled || (await isUsed())))
    throw invalid('chainId cannot be changed once the network was enabled or has wallets.', 'chainId');
}

/** An asset that the network no longer lists is neither credited nor swept. */
async function assertNothingDropped(
  tx: Tx,
  { chain, assets: before }: Network,
  { assets }: NetworkTerms,
  { heldBy }: Pick<Following, 'heldBy'>,
): Promise<void> {
  const isKept = ({ symbol, contract }: NetworkAsset) =>
    assets.some((each) => each.symbol === symbol && each.contract === contract);
  for (const { symbol } of before.filter((asset) => !isKept(asset))) {
    const held = await heldBy(tx, chain, symbol);
    if (held.length > 0)
      throw conflict('invalid_transition', `${symbol} cannot be dropped: ${held.join('; ')}.`, 'assets');
  }
}

/** With two networks on one chain, both would find a deposit, and it would be credited twice. */
async function assertOnlyOne(tx: Tx, chain: string, { chainId }: NetworkTerms): Promise<void> {
  const other = await lockOtherOfChain(tx, { chain, chainId });
  if (other !== undefined)
    throw invalid(`chainId is already used by the network ${other}: a chain has one network.`, 'chainId');
}
