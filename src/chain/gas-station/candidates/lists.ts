import type { Sql } from '../../../kernel/db/database';
import { invalid } from '../../../kernel/errors';
import type { ChainNode } from '../../../parties/chain/port';
import type { Services } from '../../../services';
import { askedOfChain } from '../../networks/asking';
import { nodeOf } from '../../networks/nodes';
import { listNetworks, requireNetwork } from '../../networks/operations';
import type { Network, NetworkAsset } from '../../networks/record';
import { fromUnits } from '../../networks/rules';
import { sweepableWallets } from '../../wallets/operations';
import type { Wallet } from '../../wallets/record';
import { requireGasConfig } from '../config/operations';
import type { GasConfig } from '../config/record';
import { listOperations } from '../operations/store';
import { isBelowThreshold, minSweepOf, sweepableOf } from '../rules';
import { stationSending } from '../strategies/choose';
import { whereTokenStands } from '../tokens';

/** A wallet that has enough of an asset to be swept. */
export interface SweepCandidate {
  wallet: Wallet;
  network: Network;
  config: GasConfig;
  asset: NetworkAsset;
  /** Of the asset: all that is there, and what a sweep would move (before its fee where it is the native coin). */
  balance: bigint;
  sweepable: bigint;
  /** What the wallet has of the native coin, and whether that is less than `gasThreshold` where it pays for gas itself. */
  native: bigint;
  needsGas: boolean;
}

export interface CandidateFilter {
  /** Absent: every enabled network whose nodes can be asked. */
  chain?: string | undefined;
  /** A symbol. */
  asset?: string | undefined;
}

type Deps = Pick<Services, 'keyring' | 'parties'>;

/**
 * The wallets that may be swept – not allocated, not disabled, no sweep of theirs open – and have enough of an asset, in the order of
 * their derivation. The balances of all wallets are read from the chain in one batch an asset.
 * @param used those alone that were allocated once
 * @throws Problem 404 naming `chain`, 400 naming `asset`, 503 while a chain cannot be reached
 */
export async function sweepCandidates(
  services: Deps,
  sql: Sql,
  { chain, asset }: CandidateFilter,
  { used = false }: { used?: boolean } = {},
): Promise<SweepCandidate[]> {
  const found: SweepCandidate[] = [];
  for (const network of await networksOf(sql, chain)) {
    const assets = network.assets.filter(({ symbol }) => asset === undefined || symbol === asset);
    if (assets.length === 0 && chain !== undefined)
      throw invalid('asset must be an asset of the network.', 'asset');
    found.push(...(await candidatesOn(services, sql, { network, assets, used })));
  }
  return found;
}

/** Of a chain that no node is asked about nothing is known, so it is not among all of them. */
const networksOf = async (sql: Sql, chain: string | undefined): Promise<Network[]> =>
  chain === undefined
    ? (await listNetworks(sql)).filter(({ enabled, kind }) => enabled && kind === 'evm')
    : [await requireNetwork(sql, chain, 'chain')];

async function candidatesOn(
  services: Deps,
  sql: Sql,
  { network, assets, used }: { network: Network; assets: readonly NetworkAsset[]; used: boolean },
): Promise<SweepCandidate[]> {
  const { chain } = network;
  const open = await listOperations(sql, { chain, type: 'sweep' }, {}, { open: true });
  const beingSwept = new Set(open.map(({ walletId }) => walletId));
  const wallets = (await sweepableWallets(sql, chain, { used })).filter(({ id }) => !beingSwept.has(id));
  if (wallets.length === 0 || assets.length === 0) return [];
  const config = await requireGasConfig(sql, network);
  const { node } = await nodeOf(services, sql, chain);
  const natives = await askedOfChain(balancesOf(node, wallets, null));
  const found: SweepCandidate[] = [];
  for (const asset of assets) {
    const paysItself = (await askedOfChain(stationSending(node, network, config, asset))) === null;
    const balances =
      asset.contract === null
        ? natives
        : await askedOfChain(whereTokenStands(balancesOf(node, wallets, asset.contract)));
    if (!balances) continue;
    for (const [place, wallet] of wallets.entries()) {
      const [balance = 0n, native = 0n] = [balances[place], natives[place]];
      const candidate = candidateOf({ wallet, network, config, asset }, { balance, native, paysItself });
      if (candidate) found.push(candidate);
    }
  }
  return found;
}

const balancesOf = (
  node: ChainNode,
  wallets: readonly Wallet[],
  contract: string | null,
): Promise<bigint[]> =>
  node.balances(
    wallets.map(({ address }) => address),
    contract,
  );

/** @returns nothing of one that has too little */
function candidateOf(
  of: Pick<SweepCandidate, 'wallet' | 'network' | 'config' | 'asset'>,
  { balance, native, paysItself }: { balance: bigint; native: bigint; paysItself: boolean },
): SweepCandidate | undefined {
  const { network, config, asset } = of;
  const sweepable = sweepableOf(config, network, asset, { units: balance, fee: 0n });
  if (sweepable === 0n || fromUnits(sweepable, asset.decimals).lt(minSweepOf(config, asset)))
    return undefined;
  const needsGas = paysItself && isBelowThreshold(config, network, native);
  return { ...of, balance, sweepable, native, needsGas };
}

/** A wallet that needs gas before it is swept. */
export interface TopupCandidate extends Pick<SweepCandidate, 'wallet' | 'network' | 'config' | 'native'> {
  /** What there is to be swept. */
  assets: Pick<SweepCandidate, 'asset' | 'balance'>[];
}

/** The wallets that have something to be swept and less gas than `gasThreshold`. @throws as {@link sweepCandidates} */
export async function topupCandidates(
  services: Deps,
  sql: Sql,
  filter: CandidateFilter,
): Promise<TopupCandidate[]> {
  const found = new Map<string, TopupCandidate>();
  for (const { asset, balance, needsGas, sweepable: _, ...rest } of await sweepCandidates(
    services,
    sql,
    filter,
  )) {
    if (!needsGas) continue;
    const known = found.get(rest.wallet.id) ?? { ...rest, assets: [] };
    known.assets.push({ asset, balance });
    found.set(rest.wallet.id, known);
  }
  return [...found.values()];
}
