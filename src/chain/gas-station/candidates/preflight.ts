import type { Sql } from '../../../kernel/db/database';
import { invalid } from '../../../kernel/errors';
import { ChainRefused } from '../../../parties/chain/errors';
import type { Call, ChainFees, ChainNode, FeeModel } from '../../../parties/chain/port';
import type { Services } from '../../../services';
import { requireChainAnswer } from '../../networks/nodes/chain-answer';
import { undefinedIfNoToken } from '../../networks/nodes/no-token';
import { type NetworkNode, nodeOf } from '../../networks/nodes/nodes';
import { assetOf } from '../../networks/operations';
import type { Network, NetworkAsset } from '../../networks/record';
import type { Wallet } from '../../wallets/record';
import { mayDelegate } from '../../wallets/sweeps';
import { boundByBooks } from '../booked-bound';
import { requireGasConfig } from '../config/operations';
import type { GasConfig } from '../config/record';
import { mostOf } from '../operations/nonces/rules';
import { failedSweeps, openOperationsOf } from '../operations/read';
import {
  autoSweepRestsUntil,
  boundedFees,
  type Costs,
  dataPriceOf,
  failedBefore,
  gasLimitOf,
  minSweepOf,
  mostDataFee,
  sweepableOf,
} from '../rules';
import { stationSending } from '../strategies/choose';
import { BESIDE_TRANSFER } from '../strategies/delegated';
import { isTransferable, type Transfer, transferOf } from '../strategies/transfer';
import { type Check, checksOf } from './rules';

/** Whether a wallet can be swept now, and how much. */
export interface Preflight {
  ok: boolean;
  checks: Check[];
  network: Network;
  config: GasConfig;
  asset: NetworkAsset;
  /** Units that the sweep would move. */
  units: bigint;
  /** Most that the sweep can cost. Null when the chain or the token would refuse it. */
  fee: bigint | null;
  /** The part of `fee` that the chain below may take beside gas. */
  dataFee: bigint;
  /** Station that would send and pay. Null when the wallet does. */
  stationAddress: string | null;
  /** Native coin of the payer. Read after the open operations, so it includes what completed ones have brought. */
  native: bigint;
}

/**
 * Checks whether a wallet can be swept. Asks the chain, so call it outside of a transaction.
 * @param asset a symbol of the network; absent: its first token (for a station the native coin), or its first asset
 * @throws Problem 400 naming `asset`, 503 while the chain cannot be reached
 */
export async function preflight(
  services: Pick<Services, 'keyring' | 'parties' | 'now'>,
  sql: Sql,
  { wallet, asset: symbol }: { wallet: Wallet; asset?: string | undefined },
): Promise<Preflight> {
  const reached = await nodeOf(services, sql, wallet.chain);
  const { network } = reached;
  const ofStation = wallet.purpose === 'station';
  const asset = swept(network, symbol, ofStation);
  const [config, open] = [await requireGasConfig(sql, network), await openOperationsOf(sql, wallet.id)];
  const stationAddress = mayDelegate(wallet)
    ? await requireChainAnswer(stationSending(reached, config, asset))
    : null;
  const of = { chain: wallet.chain, walletId: wallet.id, asset: asset.symbol };
  const failed = await failedSweeps(sql, of, failedBefore(services.now()));
  const said = await requireChainAnswer(readOf(reached, wallet, asset, config, stationAddress));
  const bound = await boundByBooks(sql, wallet.chain, asset, [wallet]);
  const units = sweepableOf(config, network, asset, {
    units: bound(wallet, said.balance),
    fee: said.fee ?? 0n,
    ofStation,
  });
  const checks = checksOf({
    wallet,
    asset,
    open,
    kind: network.kind,
    ...said,
    isStation: wallet.address === config.stationAddress,
    sweepable: units,
    least: minSweepOf(config, asset),
    maxGasPrice: config.maxGasPrice,
    treasuryAddress: config.treasuryAddress,
    autoSweepRestsUntil: autoSweepRestsUntil(failed),
  });
  const { fee, dataFee, native } = said;
  const ok = checks.every((check) => check.ok);
  return { ok, checks, network, config, asset, units, fee, dataFee, stationAddress, native };
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
  fees: ChainFees;
  /** Most that the sweep can cost. Null when the chain or the token would refuse it. */
  fee: bigint | null;
  dataFee: bigint;
  /** Share of the data fee in the price of each gas. */
  dataPrice: bigint;
}

const FREE = { dataFee: 0n, dataPrice: 0n };

async function readOf(
  { node, network }: NetworkNode,
  { address, purpose }: Wallet,
  { contract }: NetworkAsset,
  config: GasConfig,
  stationAddress: string | null,
): Promise<Said> {
  const payer = stationAddress ?? address;
  const [native, fees] = await Promise.all([node.balance(payer, null), node.fees()]);
  const balance = contract === null ? native : await undefinedIfNoToken(node.balance(address, contract));
  if (balance === undefined) return { balance: 0n, native, fees, fee: null, ...FREE };
  // Without a treasury, the cost is estimated by a transfer to the wallet itself.
  const to = config.treasuryAddress ?? address;
  const whole = { units: balance, fee: 0n, ofStation: purpose === 'station' };
  const { feeModel } = network;
  const costs =
    contract === null
      ? await costsOf(node, feeModel, {
          from: address,
          to,
          value: sweepableOf(config, network, { contract }, whole),
          data: '0x',
        })
      : await costsOfToken(node, feeModel, {
          wallet: address,
          token: contract,
          treasury: to,
          units: balance,
        });
  if (costs === null) return { balance, native, fees, fee: null, ...FREE };
  const { dataFee } = costs;
  const gas = costs.gas + (stationAddress === null ? 0n : BESIDE_TRANSFER);
  const dataPrice = dataPriceOf({ gas, dataFee });
  const prices = boundedFees(fees, config.maxGasPrice, dataPrice) ?? fees;
  return { balance, native, fees, fee: mostOf({ gas, dataFee, ...prices }), dataFee, dataPrice };
}

/** Also simulates the token's transfer, because an estimate does not show a token that returns false. */
const costsOfToken = async (
  node: ChainNode,
  feeModel: FeeModel,
  transfer: Transfer,
): Promise<Costs | null> =>
  (await isTransferable(node, transfer)) ? costsOf(node, feeModel, transferOf(transfer)) : null;

async function costsOf(node: ChainNode, feeModel: FeeModel, transfer: Call): Promise<Costs | null> {
  try {
    const [estimate, data] = await Promise.all([
      node.estimateGas(transfer),
      node.dataCost(feeModel, transfer),
    ]);
    const gas = gasLimitOf(estimate, data.gas);
    return gas === undefined ? null : { gas, dataFee: mostDataFee(data) };
  } catch (error) {
    if (error instanceof ChainRefused) return null;
    throw error;
  }
}
