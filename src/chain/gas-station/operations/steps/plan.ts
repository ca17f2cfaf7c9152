import { ChainRefused } from '../../../../parties/chain/errors';
import type { Call, ChainNode, ToldNonces } from '../../../../parties/chain/port';
import { whereTokenStands } from '../../../networks/tokens';
import { boundedFees, gasLimitOf, sweepableOf } from '../../rules';
import { delegated } from '../../strategies/delegated';
import type { Sweep, SweepParties } from '../../strategies/port';
import { isTransferable, transfer } from '../../strategies/transfer';
import { mostOf } from '../nonces/rules';
import type { Planned } from '../nonces/store';
import type { GasOperation, WaitsFor } from '../record';
import { senderOf } from '../rules';
import type { ChainContext } from './context';
import { type Ready, readySender } from './ready';

/** What the transaction of an operation would be now, but for its nonce. */
export interface Plan extends ToldNonces {
  planned: Planned;
  /** What it moves: of a sweep all that is there. */
  units: bigint;
  /** What the sender has of the native coin, after those. */
  coins: bigint;
}

/** Why there is none now. */
export interface NoPlan {
  waitsFor: WaitsFor;
}

type Planning = Pick<
  GasOperation,
  'type' | 'ofStation' | 'token' | 'fromAddress' | 'stationAddress' | 'toAddress' | 'units'
>;

/** Of a sender that is made ready for it. @throws ChainAway; NodesDisagree */
export const planOperation = async (
  services: Parameters<typeof readySender>[0],
  context: ChainContext,
  operation: Planning & Pick<GasOperation, 'chain'>,
): Promise<Plan | NoPlan> => planTransaction(await readySender(services, context, operation), operation);

/** @throws ChainAway; NodesDisagree */
export async function planTransaction(ready: Ready, operation: Planning): Promise<Plan | NoPlan> {
  const { node, config, network, nonces } = ready;
  const { token, fromAddress: from, ofStation } = operation;
  const prices = boundedFees(await node.fees(), config.maxGasPrice);
  if (!prices) return { waitsFor: 'gas_price' };
  const coins = await node.balance(senderOf(operation), null);
  const there = token === null ? coins : await whereTokenStands(node.balance(from, token));
  if (there === undefined) return { waitsFor: 'refused' };
  const isRefused = token !== null && !(await isMovable(node, { ...operation, token }, there));
  if (isRefused) return { waitsFor: 'refused' };
  const call = await callOf(ready, operation, there);
  const estimate = await estimated(node, call);
  if ('waitsFor' in estimate) return estimate;
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

/** Of a delegated sweep the contract reads the token's answer, and an estimate shows it. */
const isMovable = async (
  node: ChainNode,
  operation: Planning & { token: string },
  units: bigint,
): Promise<boolean> => operation.stationAddress !== null || isTransferable(node, sweepOf(operation, units));

export const fieldsOf = ({ to, value, data, authorizations = [] }: Call) => ({
  ...{ recipient: to, value, data, authorizations },
});

/** @param units what is there; how much of the native coin a sweep moves follows from what gas costs, and is about this */
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
  ...{ wallet: operation.fromAddress, token: operation.token, units },
  ...{ treasury: operation.toAddress, station: operation.stationAddress },
});

export const partiesOf = ({ network: { chain, chainId }, node, authorize }: ChainContext): SweepParties => ({
  node,
  chain,
  chainId,
  authorize,
});

/** A call that needs more gas than a transaction may have counts as refused, because every node would refuse it. */
export async function estimated(node: ChainNode, call: Call): Promise<{ gas: bigint } | NoPlan> {
  try {
    const gas = gasLimitOf(await node.estimateGas(call));
    return gas === undefined ? { waitsFor: 'refused' } : { gas };
  } catch (error) {
    if (!(error instanceof ChainRefused)) throw error;
    return { waitsFor: error.code === 'insufficient_funds' ? 'gas' : 'refused' };
  }
}
