import type { Sql } from '../../../kernel/db/database';
import { invalid } from '../../../kernel/errors';
import { ChainRefused } from '../../../parties/chain/errors';
import type { Call, ChainFees, ChainNode } from '../../../parties/chain/port';
import { askedOfChain } from '../../networks/asking';
import { type Witnessed, witnessOf } from '../../networks/nodes';
import { assetOf } from '../../networks/operations';
import type { Network, NetworkAsset } from '../../networks/record';
import { NATIVE_DECIMALS, toUnits } from '../../networks/rules';
import { whereTokenStands } from '../../networks/tokens';
import type { ChainServices } from '../../services';
import { type Holdings, holdingsOn } from '../../wallets/holdings';
import type { Wallet } from '../../wallets/record';
import { requireGasConfig } from '../config/operations';
import type { GasConfig } from '../config/record';
import { openOperationsOf } from '../operations/store';
import { boundedFees, gasLimitOf, minSweepOf, sweepableOf } from '../rules';
import { stationSending } from '../strategies/choose';
import { BESIDE_TRANSFER } from '../strategies/delegated';
import { isTransferable, type Transfer, transferOf } from '../strategies/transfer';
import { type Check, checksOf } from './rules';

/** Whether a wallet can be swept now, and what of it. */
export interface Preflight {
  ok: boolean;
  checks: Check[];
  network: Network;
  config: GasConfig;
  asset: NetworkAsset;
  /** What the sweep would move. */
  units: bigint;
  /** What it would cost at most; null: the chain or the token would refuse it, or no node is asked. */
  fee: bigint | null;
  /** Who would send in place of the wallet, and pay; null: the wallet. */
  stationAddress: string | null;
  /** What has who would pay of the native coin; read after the operations that are open, so what those before have brought is there. */
  native: bigint;
}

/**
 * Asks the chain, so it is no part of a transaction; where no node is asked, the books.
 * @param asset a symbol of the network; absent: its first token, of a station the native coin, or its first asset
 * @throws Problem 400 naming `asset`, 503 while the chain cannot be reached
 */
export async function preflight(
  services: Pick<ChainServices, 'keyring' | 'parties' | 'heldByBooks'>,
  sql: Sql,
  { wallet, asset: symbol }: { wallet: Wallet; asset?: string | undefined },
): Promise<Preflight> {
  const witnessed = await witnessOf(services, sql, wallet.chain);
  const { network, node } = witnessed;
  const ofStation = wallet.purpose === 'station';
  const asset = swept(network, symbol, ofStation);
  const [config, open] = [await requireGasConfig(sql, network), await openOperationsOf(sql, wallet.id)];
  const stationAddress = await askedOfChain(stationSending(witnessed, config, asset));
  const holdings = holdingsOn(services, sql, witnessed);
  const said = node
    ? await askedOfChain(readOf({ node, network }, wallet, asset, config, stationAddress))
    : await readTold(holdings, wallet, asset);
  const units = sweepableOf(config, network, asset, {
    ...{ units: said.balance, fee: said.fee ?? 0n, ofStation },
  });
  const checks = checksOf({
    ...{ wallet, asset, open, kind: network.kind, ...said },
    isStation: wallet.address === config.stationAddress,
    ...{ sweepable: units, least: minSweepOf(config, asset), detail: holdings.detail },
    gasThreshold: toUnits(config.gasThreshold, NATIVE_DECIMALS[network.kind]),
    ...{ maxGasPrice: config.maxGasPrice, treasuryAddress: config.treasuryAddress },
  });
  const { fee, native } = said;
  const ok = checks.every((check) => check.ok);
  return { ok, checks, network, config, asset, units, fee, stationAddress, native };
}

function swept(network: Network, symbol: string | undefined, ofStation: boolean): NetworkAsset {
  const { assets } = network;
  const asset =
    symbol === undefined
      ? (assets.find(({ contract }) => (contract === null) === ofStation) ?? assets[0])
      : assetOf(network, symbol);
  if (!asset) throw invalid('asset must be an asset of the network.', 'asset');
  return asset;
}

interface Said {
  balance: bigint;
  native: bigint;
  /** Null: no node is asked. */
  fees: ChainFees | null;
  /** At most; null where the chain or the token would refuse it, or no node is asked. */
  fee: bigint | null;
}

/** Of a chain that no node is asked about. */
async function readTold(holdings: Holdings, wallet: Wallet, { contract }: NetworkAsset): Promise<Said> {
  const [[balance = 0n], [native = 0n]] = [
    await holdings.of([wallet], contract),
    await holdings.of([wallet], null),
  ];
  return { balance, native, fees: null, fee: null };
}

async function readOf(
  { node, network }: Witnessed & { node: ChainNode },
  { address, purpose }: Wallet,
  { contract }: NetworkAsset,
  config: GasConfig,
  stationAddress: string | null,
): Promise<Said> {
  const payer = stationAddress ?? address;
  const [native, fees] = await Promise.all([node.balance(payer, null), node.fees()]);
  const balance = contract === null ? native : await whereTokenStands(node.balance(address, contract));
  if (balance === undefined) return { balance: 0n, native, fees, fee: null };
  // To itself while there is no treasury: what it would cost about.
  const to = config.treasuryAddress ?? address;
  const whole = { units: balance, fee: 0n, ofStation: purpose === 'station' };
  const gas =
    contract === null
      ? await gasOf(node, {
          from: address,
          to,
          value: sweepableOf(config, network, { contract }, whole),
          data: '0x',
        })
      : await gasOfToken(node, { wallet: address, token: contract, treasury: to, units: balance });
  const { maxFeePerGas } = boundedFees(fees, config.maxGasPrice) ?? fees;
  const beside = stationAddress === null ? 0n : BESIDE_TRANSFER;
  return { balance, native, fees, fee: gas === null ? null : (gas + beside) * maxFeePerGas };
}

/** Whoever sends it, the token is to move it: an estimate does not show that it would not. */
const gasOfToken = async (node: ChainNode, transfer: Transfer): Promise<bigint | null> =>
  (await isTransferable(node, transfer)) ? gasOf(node, transferOf(transfer)) : null;

async function gasOf(node: ChainNode, transfer: Call): Promise<bigint | null> {
  try {
    return gasLimitOf(await node.estimateGas(transfer));
  } catch (error) {
    if (error instanceof ChainRefused) return null;
    throw error;
  }
}
