import type { ChainFees } from '../port';
import { answers } from './answers';
import type { Rpc } from './rpc';

const GWEI = 10n ** 9n;

/** 0.001 gwei: what asks for nothing above the base fee is left lying where there is a choice. */
const LEAST_TIP = GWEI / 1000n;

/** A node that asks for more, and for more than twice the base fee, is not believed. */
const MOST_TIP = 50n * GWEI;

/** Of the block to come (EIP-1559). Twice its base fee is enough for six full blocks: each raises it by an eighth. */
export async function readFees(rpc: Rpc): Promise<ChainFees> {
  const [{ baseFeePerGas }, asked] = await Promise.all([
    rpc.call({ method: 'eth_feeHistory', params: ['0x1', 'latest', []] }, answers.baseFees),
    rpc.call({ method: 'eth_maxPriorityFeePerGas', params: [] }, answers.quantity),
  ]);
  const baseFee = baseFeePerGas.at(-1) ?? 0n;
  const most = 2n * baseFee > MOST_TIP ? 2n * baseFee : MOST_TIP;
  const maxPriorityFeePerGas = bounded(asked, LEAST_TIP, most);
  return { baseFee, maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

function bounded(units: bigint, least: bigint, most: bigint): bigint {
  if (units < least) return least;
  return units > most ? most : units;
}
