import type { Sql } from '../../../kernel/db/database';
import { invalid } from '../../../kernel/errors';
import type { Services } from '../../../services';
import { poolHolding } from '../../holdings/operations';
import { requireChainAnswer } from '../../networks/nodes/chain-answer';
import { undefinedIfNoToken } from '../../networks/nodes/no-token';
import { nodeOf } from '../../networks/nodes/nodes';
import { enabledNetworks, requireNetwork } from '../../networks/operations';
import type { Network, NetworkAsset } from '../../networks/record';
import { fromUnits } from '../../networks/rules';
import { stationWallets, sweepableWallets } from '../../wallets/operations';
import { SWEEPABLE, type Wallet } from '../../wallets/record';
import { mayDelegate } from '../../wallets/sweeps';
import { boundByBooks } from '../booked-bound';
import { requireGasConfig } from '../config/operations';
import type { GasConfig } from '../config/record';
import { listOperations } from '../operations/read';
import { isBelowThreshold, minSweepOf, sweepableOf } from '../rules';
import { stationSending } from '../strategies/choose';

/** A wallet that has enough of an asset to be swept. */
export interface SweepCandidate {
  wallet: Wallet;
  network: Network;
  config: GasConfig;
  asset: NetworkAsset;
  /** Balance, and the part that a sweep would move (for the native coin before its fee). Smallest units. */
  balance: bigint;
  sweepable: bigint;
  /** Balance of the native coin, and whether a wallet that pays for gas has less than `gasThreshold`. */
  native: bigint;
  needsGas: boolean;
}

export interface CandidateFilter {
  /** Absent: every enabled network. */
  chain?: string | undefined;
  /** A symbol. */
  asset?: string | undefined;
}

type Deps = Pick<Services, 'keyring' | 'parties'>;

/**
 * Lists wallets that may be swept and have enough of an asset: not disabled, without an open sweep. An allocated or adopted wallet
 * counts with its booked amount. Pool wallets come in the order of their derivation, then former stations with native coin. Reads all balances of an
 * asset in one batch.
 * @param booked only wallets that were allocated once or adopted, hold enough by the books, and await no top-up. No other wallet is
 *   asked for
 * @throws Problem 404 naming `chain`, 400 naming `asset`, 503 while a chain cannot be reached
 */
export async function sweepCandidates(
  services: Deps,
  sql: Sql,
  { chain, asset }: CandidateFilter,
  { booked = false }: { booked?: boolean } = {},
): Promise<SweepCandidate[]> {
  const found: SweepCandidate[] = [];
  for (const network of await networksOf(sql, chain)) {
    const assets = network.assets.filter(({ symbol }) => asset === undefined || symbol === asset);
    if (assets.length === 0 && chain !== undefined)
      throw invalid('asset must be an asset of the network.', 'asset');
    found.push(...(await candidatesOn(services, sql, { network, assets, booked })));
  }
  return found;
}

const networksOf = async (sql: Sql, chain: string | undefined): Promise<Network[]> =>
  chain === undefined ? enabledNetworks(sql) : [await requireNetwork(sql, chain, { field: 'chain' })];

async function candidatesOn(
  services: Deps,
  sql: Sql,
  { network, assets, booked }: { network: Network; assets: readonly NetworkAsset[]; booked: boolean },
): Promise<SweepCandidate[]> {
  const { chain } = network;
  const open = await listOperations(sql, { chain, type: booked ? undefined : 'sweep' }, {}, { open: true });
  const taken = new Set(open.map(({ walletId }) => walletId));
  const config = await requireGasConfig(sql, network);
  const all = booked
    ? await bookedWallets(sql, config, assets)
    : [...(await sweepableWallets(sql, chain)), ...(await formerStations(sql, config))];
  const wallets = all.filter(({ id }) => !taken.has(id));
  if (wallets.length === 0 || assets.length === 0) return [];
  const reached = await nodeOf(services, sql, chain);
  const addresses = wallets.map(({ address }) => address);
  const natives = await requireChainAnswer(reached.node.balances(addresses, null));
  const found: SweepCandidate[] = [];
  for (const asset of assets) {
    const station = await requireChainAnswer(stationSending(reached, config, asset));
    const balances =
      asset.contract === null
        ? natives
        : await requireChainAnswer(undefinedIfNoToken(reached.node.balances(addresses, asset.contract)));
    if (!balances) continue;
    const filled = wallets.filter((_, place) => (balances[place] ?? 0n) > 0n);
    const bound = await boundByBooks(sql, chain, asset, filled);
    for (const [place, wallet] of wallets.entries()) {
      const [balance = 0n, native = 0n] = [balances[place], natives[place]];
      const paysItself = station === null || !mayDelegate(wallet);
      const bounded = bound(wallet, balance);
      const candidate = candidateOf(
        { wallet, network, config, asset },
        { balance, bounded, native, paysItself },
      );
      if (candidate) found.push(candidate);
    }
  }
  return found;
}

/** The used wallets that hold enough of any of the assets by the books. */
async function bookedWallets(
  sql: Sql,
  config: GasConfig,
  assets: readonly NetworkAsset[],
): Promise<Wallet[]> {
  const { chain } = config;
  const among = new Set<string>();
  for (const asset of assets) {
    const enough = { chain, asset: asset.symbol, least: minSweepOf(config, asset) };
    for (const address of await poolHolding(sql, enough)) among.add(address);
  }
  return among.size === 0 ? [] : sweepableWallets(sql, chain, { used: true, among: [...among] });
}

/** Our station wallets except the present station. A person decides whether they are swept. */
const formerStations = async (sql: Sql, { chain, stationAddress }: GasConfig): Promise<Wallet[]> =>
  (await stationWallets(sql, chain)).filter(
    ({ address, status }) => address !== stationAddress && SWEEPABLE.includes(status),
  );

/** @returns undefined when the wallet has too little */
function candidateOf(
  of: Pick<SweepCandidate, 'wallet' | 'network' | 'config' | 'asset'>,
  {
    balance,
    bounded,
    native,
    paysItself,
  }: { balance: bigint; bounded: bigint; native: bigint; paysItself: boolean },
): SweepCandidate | undefined {
  const { network, config, asset, wallet } = of;
  const ofStation = wallet.purpose === 'station';
  // The books do not record tokens that arrive at a station.
  if (ofStation && asset.contract !== null) return undefined;
  const sweepable = sweepableOf(config, network, asset, { units: bounded, fee: 0n, ofStation });
  if (sweepable === 0n || fromUnits(sweepable, asset.decimals).lt(minSweepOf(config, asset)))
    return undefined;
  const needsGas = paysItself && !ofStation && isBelowThreshold(config, network, native);
  return { ...of, balance, sweepable, native, needsGas };
}

/** A wallet that needs gas before it is swept. */
export interface TopupCandidate extends Pick<SweepCandidate, 'wallet' | 'network' | 'config' | 'native'> {
  /** Assets that can be swept. */
  assets: Pick<SweepCandidate, 'asset' | 'balance'>[];
}

/**
 * Lists wallets that have something to sweep and less gas than `gasThreshold`.
 * @throws as {@link sweepCandidates}
 */
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
