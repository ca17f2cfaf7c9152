import type { ChainFees } from '../port';
import { answers } from './answers';
import type { Rpc } from './rpc';

const GWEI = 10n ** 9n;

/** 0.001 gwei. Transactions without a tip wait where blocks are full. */
const LEAST_TIP = GWEI / 1000n;

/** Upper bound of a tip. Twice the base fee is the bound where that is higher. */
const MAX_TIP = 50n * GWEI;

/** One node's prices of the next block (EIP-1559). */
interface SaidFees {
  baseFee: bigint;
  tip: bigint;
}

export async function readFees(rpc: Rpc): Promise<SaidFees> {
  const [{ baseFeePerGas }, tip] = await Promise.all([
    rpc.call({ method: 'eth_feeHistory', params: ['0x1', 'latest', []] }, answers.baseFees),
    rpc.call({ method: 'eth_maxPriorityFeePerGas', params: [] }, answers.quantity),
  ]);
  return { baseFee: baseFeePerGas.at(-1) ?? 0n, tip };
}

/**
 * The median of each price. Twice the base fee is enough for six full blocks, because each block raises the fee by an
 * eighth at most.
 * @param said at least one node's prices
 */
export function feesOf(said: readonly SaidFees[]): ChainFees {
  const baseFee = medianOf(said.map((fees) => fees.baseFee));
  const most = 2n * baseFee > MAX_TIP ? 2n * baseFee : MAX_TIP;
  const maxPriorityFeePerGas = bounded(medianOf(said.map(({ tip }) => tip)), LEAST_TIP, most);
  return { baseFee, maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/** Of an even count, the lower of the two middle prices, because a price that is too low can be raised later. */
const medianOf = (prices: readonly bigint[]): bigint =>
  prices.toSorted((one, other) => (one < other ? -1 : 1))[Math.floor((prices.length - 1) / 2)] as bigint;

function bounded(units: bigint, least: bigint, most: bigint): bigint {
  if (units < least) return least;
  return units > most ? most : units;
}
