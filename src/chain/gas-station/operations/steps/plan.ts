import { ChainRefused } from '../../../../parties/chain/errors';
import type { ChainNode } from '../../../../parties/chain/port';
import { NATIVE_DECIMALS, toUnits } from '../../../networks/rules';
import type { GasConfig } from '../../config/record';
import { boundedFees } from '../../rules';
import { mostOf, transferOf } from '../nonces/rules';
import type { Planned } from '../nonces/store';
import type { GasOperation, WaitsFor } from '../record';

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
  node: ChainNode,
  config: GasConfig,
  operation: Planning,
): Promise<Plan | NoPlan> {
  const { type, token, fromAddress: from, toAddress, units } = operation;
  const prices = boundedFees(await node.fees(), config.maxGasPrice);
  if (!prices) return { waitsFor: 'gas_price' };
  const [coins, counted] = await Promise.all([node.balance(from, null), node.nonce(from)]);
  const wanted = type === 'topup' ? units : token === null ? coins : await node.balance(from, token);
  if (wanted === 0n) return { waitsFor: 'refused' };
  const gas = await gasOf(node, from, transferOf(token, toAddress, token === null ? 1n : wanted));
  if (gas === undefined) return { waitsFor: 'refused' };
  const cost = mostOf({ gas, ...prices });
  const left = type === 'sweep' && token === null ? leftOf(config, cost) : cost;
  const moved = type === 'sweep' && token === null ? coins - left : wanted;
  const spent = token === null ? moved + cost : cost;
  if (moved <= 0n || coins < spent) return { waitsFor: 'gas' };
  const { to: recipient, value, data } = transferOf(token, toAddress, moved);
  return { planned: { recipient, value, data, gas, ...prices }, units: moved, counted };
}

/** What a sweep of the native coin leaves: the next sweep's gas, and no less than its own. */
function leftOf({ gasTopupAmount }: GasConfig, cost: bigint): bigint {
  const kept = toUnits(gasTopupAmount, NATIVE_DECIMALS.evm);
  return kept > cost ? kept : cost;
}

/** @returns nothing where the chain would revert it */
async function gasOf(
  node: ChainNode,
  from: string,
  transaction: ReturnType<typeof transferOf>,
): Promise<bigint | undefined> {
  try {
    return await node.estimateGas({ from, ...transaction });
  } catch (error) {
    if (error instanceof ChainRefused) return undefined;
    throw error;
  }
}
