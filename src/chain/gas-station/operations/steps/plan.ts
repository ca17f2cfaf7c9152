import type { Sql } from '../../../../kernel/db/database';
import { ChainRefused } from '../../../../parties/chain/errors';
import type { Call, ChainNode, ReportedNonces } from '../../../../parties/chain/port';
import { undefinedIfNoToken } from '../../../networks/nodes/no-token';
import { findWallets } from '../../../wallets/operations';
import { boundByBooks } from '../../booked-bound';
import { boundedFees, type Costs, dataPriceOf, gasLimitOf, mostDataFee, sweepableOf } from '../../rules';
import { delegated } from '../../strategies/delegated';
import type { Sweep, SweepParties } from '../../strategies/port';
import { isTransferable, transfer } from '../../strategies/transfer';
import { mostOf } from '../nonces/rules';
import type { Planned } from '../nonces-store';
import { type GasOperation, isRecovery, type WaitsFor } from '../record';
import { senderOf } from '../rules';
import type { ChainContext } from './context';
import { type Ready, readySender } from './ready-sender';

/** Most gas of a recovery, because the contract of an unlisted token may use up any amount. */
export const MAX_RECOVERY_GAS = 1_000_000n;

/** The transaction of an operation, except its nonce. */
export interface Plan extends ReportedNonces {
  planned: Planned;
  /** Units that it moves. A sweep moves the whole balance, or what the books hold of an allocated or adopted wallet. */
  units: bigint;
  /** Native coin of the sender, read after the nonces. */
  coins: bigint;
}

/** Why no transaction can be planned now. */
export interface NoPlan {
  waitsFor: WaitsFor;
}

type Planning = Pick<
  GasOperation,
  'type' | 'ofStation' | 'token' | 'fromAddress' | 'stationAddress' | 'toAddress' | 'units'
>;

type Booked = Pick<GasOperation, 'type' | 'walletId' | 'chain' | 'asset' | 'decimals'>;

/** Returns how much of a balance an operation may move. */
export type MayMove = (operation: Pick<GasOperation, 'walletId'>, balance: bigint) => bigint;

/**
 * Plans a transaction after preparing its sender.
 * @throws ChainAway; NodesDisagree
 */
export const planOperation = async (
  services: Parameters<typeof readySender>[0],
  context: ChainContext,
  operation: Planning & Booked,
): Promise<Plan | NoPlan> => {
  const ready = await readySender(services, context, operation);
  return planTransaction(ready, operation, await mayMove(services.database, [operation]));
};

/**
 * Bounds sweeps of one asset: an allocated or adopted wallet sends what the books hold of it. The reservation of a sweep keeps any other
 * wallet unallocated. The books hold nothing of a token that no network lists, so its recovery moves all.
 */
export async function mayMove(sql: Sql, operations: readonly Booked[]): Promise<MayMove> {
  const sweeps = operations.filter((each) => each.type === 'sweep' && !isRecovery(each));
  const [first] = sweeps;
  if (!first) return (_, balance) => balance;
  const ids = sweeps.map(({ walletId }) => walletId);
  const wallets = new Map((await findWallets(sql, ids)).map((wallet) => [wallet.id, wallet]));
  const asset = { symbol: first.asset, decimals: first.decimals };
  const bound = await boundByBooks(sql, first.chain, asset, [...wallets.values()]);
  return ({ walletId }, balance) => {
    const wallet = wallets.get(walletId);
    return wallet ? bound(wallet, balance) : balance;
  };
}

/** @throws ChainAway; NodesDisagree */
export async function planTransaction(
  ready: Ready,
  operation: Planning & Booked,
  moves: MayMove,
): Promise<Plan | NoPlan> {
  const { node, config, network, nonces } = ready;
  const { token, fromAddress: from, ofStation } = operation;
  // A deposit of a listed token has an owner, so only a sweep moves it.
  if (isRecovery(operation) && network.assets.some(({ contract }) => contract === token))
    return { waitsFor: 'stopped' };
  // Asked together, so that they travel in one request.
  const [fees, coins, ofToken] = await Promise.all([
    node.fees(),
    node.balance(senderOf(operation), null),
    token === null ? null : undefinedIfNoToken(node.balance(from, token)),
  ]);
  if (!boundedFees(fees, config.maxGasPrice)) return { waitsFor: 'gas_price' };
  const balance = ofToken === null ? coins : ofToken;
  if (balance === undefined) return { waitsFor: 'refused' };
  const there = moves(operation, balance);
  const isRefused = token !== null && !(await isMovable(node, { ...operation, token }, there));
  if (isRefused) return { waitsFor: 'refused' };
  const call = await callOf(ready, operation, there);
  const estimate = await estimated(ready, call);
  if ('waitsFor' in estimate) return estimate;
  if (isRecovery(operation) && estimate.gas > MAX_RECOVERY_GAS) return { waitsFor: 'refused' };
  const prices = boundedFees(fees, config.maxGasPrice, dataPriceOf(estimate));
  if (!prices) return { waitsFor: 'gas_price' };
  const cost = mostOf({ ...estimate, ...prices });
  const units =
    operation.type === 'topup'
      ? operation.units
      : sweepableOf(config, network, { contract: token }, { units: there, fee: cost, ofStation });
  if (units === 0n) return { waitsFor: 'nothing' };
  const value = token === null ? units : 0n;
  if (coins < cost + value) return { waitsFor: 'gas' };
  return { planned: { ...fieldsOf(call), value, ...estimate, ...prices }, units, coins, ...nonces };
}

/**
 * Simulates the token's transfer. A delegated sweep needs no simulation, because the contract checks the token's answer
 * and an estimate fails.
 */
const isMovable = async (
  node: ChainNode,
  operation: Planning & { token: string },
  units: bigint,
): Promise<boolean> => operation.stationAddress !== null || isTransferable(node, sweepOf(operation, units));

export const fieldsOf = ({ to, value, data, authorizations = [] }: Call) => ({
  recipient: to,
  value,
  data,
  authorizations,
});

/** @param units balance; a sweep of the native coin moves about this, less the cost of gas */
async function callOf(context: ChainContext, operation: Planning, units: bigint): Promise<Call> {
  const { token, fromAddress: from, toAddress: to, ofStation } = operation;
  if (token === null) {
    const value =
      operation.type === 'topup'
        ? operation.units
        : sweepableOf(context.config, context.network, { contract: token }, { units, fee: 0n, ofStation });
    return { from, to, value, data: '0x' };
  }
  const strategy = operation.stationAddress === null ? transfer : delegated;
  return strategy.callOf(partiesOf(context), sweepOf({ ...operation, token }, units));
}

export const sweepOf = (
  operation: Pick<GasOperation, 'fromAddress' | 'toAddress' | 'stationAddress'> & { token: string },
  units: bigint,
): Sweep => ({
  wallet: operation.fromAddress,
  token: operation.token,
  units,
  treasury: operation.toAddress,
  station: operation.stationAddress,
});

export const partiesOf = ({ network, node, authorize }: ChainContext): SweepParties => {
  const { chain, chainId, feeModel } = network;
  return { node, chain, chainId, feeModel, authorize };
};

/** Counts a call above the gas limit of a transaction as refused, because every node would refuse it. */
export async function estimated(
  { node, network: { feeModel } }: Pick<ChainContext, 'node' | 'network'>,
  call: Call,
): Promise<Costs | NoPlan> {
  try {
    const [estimate, data] = await Promise.all([node.estimateGas(call), node.dataCost(feeModel, call)]);
    const gas = gasLimitOf(estimate, data.gas);
    return gas === undefined ? { waitsFor: 'refused' } : { gas, dataFee: mostDataFee(data) };
  } catch (error) {
    if (!(error instanceof ChainRefused)) throw error;
    return { waitsFor: error.code === 'insufficient_funds' ? 'gas' : 'refused' };
  }
}
