import type { Sql } from '../../../../kernel/db/database';
import { ChainRefused } from '../../../../parties/chain/errors';
import type { Call, ChainNode, ReportedNonces } from '../../../../parties/chain/port';
import { undefinedIfNoToken } from '../../../networks/nodes/no-token';
import { findWallet } from '../../../wallets/operations';
import { boundByBooks } from '../../booked-bound';
import { boundedFees, type Costs, dataPriceOf, gasLimitOf, mostDataFee, sweepableOf } from '../../rules';
import { delegated } from '../../strategies/delegated';
import type { Sweep, SweepParties } from '../../strategies/port';
import { isTransferable, transfer } from '../../strategies/transfer';
import { mostOf } from '../nonces/rules';
import type { Planned } from '../nonces-store';
import type { GasOperation, WaitsFor } from '../record';
import { senderOf } from '../rules';
import type { ChainContext } from './context';
import { type Ready, readySender } from './ready-sender';

/** The transaction of an operation, except its nonce. */
export interface Plan extends ReportedNonces {
  planned: Planned;
  /** Units that it moves. A sweep moves the whole balance, or what the books hold of an allocated wallet. */
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

/** Returns how much of a balance the operation may move. */
type MayMove = (balance: bigint) => bigint;

/**
 * Plans a transaction after preparing its sender.
 * @throws ChainAway; NodesDisagree
 */
export const planOperation = async (
  services: Parameters<typeof readySender>[0],
  context: ChainContext,
  operation: Planning & Pick<GasOperation, 'chain' | 'asset' | 'decimals'>,
): Promise<Plan | NoPlan> => {
  const ready = await readySender(services, context, operation);
  return planTransaction(ready, operation, await mayMove(services.database, operation));
};

/** An allocated wallet's sweep moves what the books hold. Its reservation keeps any other wallet unallocated. */
async function mayMove(
  sql: Sql,
  {
    type,
    chain,
    asset,
    decimals,
    fromAddress,
  }: Planning & Pick<GasOperation, 'chain' | 'asset' | 'decimals'>,
): Promise<MayMove> {
  const wallet = type === 'sweep' ? await findWallet(sql, chain, fromAddress) : undefined;
  if (!wallet) return (balance) => balance;
  const bound = await boundByBooks(sql, chain, { symbol: asset, decimals }, [wallet]);
  return (balance) => bound(wallet, balance);
}

/** @throws ChainAway; NodesDisagree */
export async function planTransaction(
  ready: Ready,
  operation: Planning,
  moves: MayMove = (balance) => balance,
): Promise<Plan | NoPlan> {
  const { node, config, network, nonces } = ready;
  const { token, fromAddress: from, ofStation } = operation;
  // Asked together, so that they travel in one request.
  const [fees, coins, ofToken] = await Promise.all([
    node.fees(),
    node.balance(senderOf(operation), null),
    token === null ? null : undefinedIfNoToken(node.balance(from, token)),
  ]);
  if (!boundedFees(fees, config.maxGasPrice)) return { waitsFor: 'gas_price' };
  const balance = ofToken === null ? coins : ofToken;
  if (balance === undefined) return { waitsFor: 'refused' };
  const there = moves(balance);
  const isRefused = token !== null && !(await isMovable(node, { ...operation, token }, there));
  if (isRefused) return { waitsFor: 'refused' };
  const call = await callOf(ready, operation, there);
  const estimate = await estimated(ready, call);
  if ('waitsFor' in estimate) return estimate;
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
