import { areMost } from '../../../../parties/chain/agreement';
import { ChainAway, ChainRefused } from '../../../../parties/chain/errors';
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
import type { Reached } from './reach';

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

/** @throws ChainAway */
export async function planTransaction(reached: Reached, operation: Planning): Promise<Plan | NoPlan> {
  const { node, config, network } = reached;
  const { token, fromAddress: from, ofStation } = operation;
  const sender = senderOf(operation);
  const prices = boundedFees(await node.fees(), config.maxGasPrice);
  if (!prices) return { waitsFor: 'gas_price' };
  const of = await readSender(node, sender);
  if ('waitsFor' in of) return of;
  const there = token === null ? of.coins : await whereTokenStands(node.balance(from, token));
  if (there === undefined) return { waitsFor: 'refused' };
  const isRefused = token !== null && !(await isMovable(node, { ...operation, token }, there));
  if (isRefused) return { waitsFor: 'refused' };
  const call = await callOf(reached, operation, there);
  const estimate = await estimated(node, call);
  if ('waitsFor' in estimate) return estimate;
  const cost = mostOf({ ...estimate, ...prices });
  const units =
    operation.type === 'topup'
      ? operation.units
      : sweepableOf(config, network, { contract: token }, { units: there, fee: cost, ofStation });
  if (units === 0n) return { waitsFor: 'nothing' };
  const value = token === null ? units : 0n;
  if (of.coins < cost + value) return { waitsFor: 'gas' };
  return { planned: { ...fieldsOf(call), value, ...estimate, ...prices }, units, ...of };
}

/** Of a delegated sweep the contract reads the token's answer, and an estimate shows it. */
const isMovable = async (
  node: ChainNode,
  operation: Planning & { token: string },
  units: bigint,
): Promise<boolean> =>
  operation.stationAddress !== null || units === 0n || isTransferable(node, sweepOf(operation, units));

/** The same for a request, which waits for no node. @throws ChainAway also where too few nodes answer to give a nonce */
export async function planOrdered(reached: Reached, operation: Planning): Promise<Plan | NoPlan> {
  const plan = await planTransaction(reached, operation);
  if ('waitsFor' in plan && plan.waitsFor === 'nodes_disagree') throw new ChainAway(reached.network.chain);
  return plan;
}

/** Its nonce first: what is counted has been paid when its coins are read. A nonce is given out by the word of most nodes only. */
export async function readSender(
  node: ChainNode,
  sender: string,
): Promise<(ToldNonces & Pick<Plan, 'coins'>) | NoPlan> {
  const nonces = await node.noncesOf(sender);
  if (!areMost({ said: nonces.each.length, of: nonces.of })) return { waitsFor: 'nodes_disagree' };
  return { ...nonces, coins: await node.balance(sender, null) };
}

export const fieldsOf = ({ to, value, data, authorizations = [] }: Call) => ({
  ...{ recipient: to, value, data, authorizations },
});

/** @param units what is there; how much of the native coin a sweep moves follows from what gas costs, and is about this */
async function callOf(reached: Reached, operation: Planning, units: bigint): Promise<Call> {
  const { token, fromAddress: from, toAddress: to, ofStation } = operation;
  if (token === null) {
    const value =
      operation.type === 'topup'
        ? operation.units
        : sweepableOf(reached.config, reached.network, { contract: token }, { units, fee: 0n, ofStation });
    return { from, to, value, data: '0x' };
  }
  const strategy = operation.stationAddress === null ? transfer : delegated;
  return strategy.callOf(partiesOf(reached), sweepOf({ ...operation, token }, units));
}

export const sweepOf = (
  operation: Pick<GasOperation, 'fromAddress' | 'toAddress' | 'stationAddress'> & { token: string },
  units: bigint,
): Sweep => ({
  ...{ wallet: operation.fromAddress, token: operation.token, units },
  ...{ treasury: operation.toAddress, station: operation.stationAddress },
});

export function partiesOf({ network: { chain, chainId }, node, authorize }: Reached): SweepParties {
  if (chainId === null) throw new Error(`the chain ${chain} has no id`);
  return { node, chainId, authorize };
}

export async function estimated(node: ChainNode, call: Call): Promise<{ gas: bigint } | NoPlan> {
  try {
    return { gas: gasLimitOf(await node.estimateGas(call)) };
  } catch (error) {
    if (!(error instanceof ChainRefused)) throw error;
    return { waitsFor: error.code === 'insufficient_funds' ? 'gas' : 'refused' };
  }
}
