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
  const estimate = await estimated(node, from, transferOf(token, toAddress, token === null ? 1n : wanted));
  if ('waitsFor' in estimate) return estimate;
  const { gas } = estimate;
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

/** A token's work may grow by what others do to it before the transaction is in a block: a fifth more is allowed. */
const spare = (gas: bigint): bigint => gas + gas / 5n;

async function estimated(
  node: ChainNode,
  from: string,
  transaction: ReturnType<typeof transferOf>,
): Promise<{ gas: bigint } | NoPlan> {
  try {
    const gas = await node.estimateGas({ from, ...transaction });
    return { gas: transaction.data === '0x' ? gas : spare(gas) };
  } catch (error) {
    if (!(error instanceof ChainRefused)) throw error;
    return { waitsFor: error.code === 'insufficient_funds' ? 'gas' : 'refused' };
  }
}
