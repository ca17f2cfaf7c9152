import { ChainRefused } from '../../../../parties/chain/errors';
import type { ChainNode } from '../../../../parties/chain/port';
import { boundedFees, sweepableOf } from '../../rules';
import { mostOf, transferOf } from '../nonces/rules';
import type { Planned } from '../nonces/store';
import type { GasOperation, WaitsFor } from '../record';
import type { Reached } from './reach';

/** What the transaction of an operation would be now, but for its nonce. */
export interface Plan {
  planned: Planned;
  /** What it moves: of a sweep all that is there. */
  units: bigint;
  /** How many transactions of the sender are in blocks. */
  counted: number;
}

/** Why there is none now. */
export interface NoPlan {
  waitsFor: WaitsFor;
}

type Planning = Pick<GasOperation, 'type' | 'token' | 'fromAddress' | 'toAddress' | 'units'>;

/** @throws ChainAway */
export async function planTransaction(
  { node, config, network }: Reached,
  operation: Planning,
): Promise<Plan | NoPlan> {
  const { token, fromAddress: from, toAddress: to } = operation;
  const prices = boundedFees(await node.fees(), config.maxGasPrice);
  if (!prices) return { waitsFor: 'gas_price' };
  const [coins, counted] = await Promise.all([node.balance(from, null), node.nonce(from)]);
  const there = token === null ? coins : await node.balance(from, token);
  const estimate = await estimated(node, from, transferOf(token, to, token === null ? 0n : there));
  if ('waitsFor' in estimate) return estimate;
  const cost = mostOf({ ...estimate, ...prices });
  const units =
    operation.type === 'topup'
      ? operation.units
      : sweepableOf(config, network, { contract: token }, { units: there, fee: cost });
  if (units === 0n) return { waitsFor: 'nothing' };
  if (coins < cost + (token === null ? units : 0n)) return { waitsFor: 'gas' };
  const { to: recipient, value, data } = transferOf(token, to, units);
  return { planned: { recipient, value, data, ...estimate, ...prices }, units, counted };
}

async function estimated(
  node: ChainNode,
  from: string,
  transaction: ReturnType<typeof transferOf>,
): Promise<{ gas: bigint } | NoPlan> {
  try {
    return { gas: await node.estimateGas({ from, ...transaction }) };
  } catch (error) {
    if (!(error instanceof ChainRefused)) throw error;
    return { waitsFor: error.code === 'insufficient_funds' ? 'gas' : 'refused' };
  }
}
