import type { Decimal } from '../../../../kernel/money/money';
import { areMost, ofMost } from '../../../../parties/chain/agreement';
import type { ChainFees, ReportedNonces, UnsignedTransaction } from '../../../../parties/chain/port';
import { type BoundedFees, boundedFees, type Costs, weiOfGwei } from '../../rules';
import type { Attempt } from './record';

/** Nodes require a replacement to offer a tenth more; all accept an eighth. */
const DEARER = { by: 9n, of: 8n };

/**
 * Prices of a replacement: at least an eighth above the earlier ones.
 * @param dataPrice share of the data fee in the price of each gas
 * @returns undefined when the cap does not allow that
 */
export function dearerThan(
  before: BoundedFees,
  fees: ChainFees,
  cap: Decimal | null,
  dataPrice = 0n,
): BoundedFees | undefined {
  const now = boundedFees(fees, cap, dataPrice);
  if (!now) return undefined;
  const maxFeePerGas = most(anEighthMore(before.maxFeePerGas), now.maxFeePerGas);
  const priority = most(anEighthMore(before.maxPriorityFeePerGas), now.maxPriorityFeePerGas);
  if (cap !== null && maxFeePerGas + dataPrice > weiOfGwei(cap)) return undefined;
  return { maxFeePerGas, maxPriorityFeePerGas: priority };
}

/**
 * Whether the next block costs more than a transaction offers. Only then does a replacement help. Without a price cap,
 * this check also limits replacements of a transaction that is stuck for another reason.
 */
export function isBelowMarket(
  { maxFeePerGas, maxPriorityFeePerGas }: BoundedFees,
  market: Pick<ChainFees, 'baseFee' | 'maxPriorityFeePerGas'>,
): boolean {
  const asked = market.baseFee + market.maxPriorityFeePerGas;
  return maxFeePerGas < asked || maxPriorityFeePerGas < market.maxPriorityFeePerGas;
}

/** The highest of each price among attempts. */
export const dearestOf = (attempts: readonly BoundedFees[]): BoundedFees =>
  attempts.reduce((one, other) => ({
    maxFeePerGas: most(one.maxFeePerGas, other.maxFeePerGas),
    maxPriorityFeePerGas: most(one.maxPriorityFeePerGas, other.maxPriorityFeePerGas),
  }));

const anEighthMore = (price: bigint): bigint => (price * DEARER.by + DEARER.of - 1n) / DEARER.of;

const most = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** Most that a transaction can cost, beyond the value it moves. */
export const mostOf = ({
  gas,
  maxFeePerGas,
  dataFee,
}: Pick<UnsignedTransaction, 'gas' | 'maxFeePerGas'> & Pick<Costs, 'dataFee'>): bigint =>
  gas * maxFeePerGas + dataFee;

/** Most pending transactions that others may have signed for our address. A node that reports more is not believed. */
const MAX_OF_OTHERS = 16;

/**
 * Chooses the next nonce: the first free one, so that no gap arises. Pending transactions of others count as most nodes
 * tell them, because a gap invented by one node would block the sender.
 * @param taken nonces from `counted` on that operations hold, in any order
 * @returns undefined when most nodes report more pending transactions than possible, or not most of them confirm the
 *   low count. A transaction with such a nonce would wait for ever or reuse a spent nonce.
 */
export function nextFreeNonce(
  { counted, each, of }: ReportedNonces,
  taken: readonly number[],
): number | undefined {
  const held = new Set(taken);
  const most = counted + held.size + MAX_OF_OTHERS;
  const next = each.map((told) => told.next);
  const said = each.filter((told) => told.counted <= most).length;
  const waiting = ofMost(next, of);
  if (waiting > most || !areMost({ said, of })) return undefined;
  let nonce = Math.max(counted, waiting);
  while (held.has(nonce)) nonce += 1;
  return nonce;
}

export const unsignedOf = (attempt: Attempt, chainId: number): UnsignedTransaction => ({
  chainId,
  nonce: attempt.nonce,
  from: attempt.address,
  to: attempt.recipient,
  value: attempt.value,
  data: attempt.data,
  authorizations: attempt.authorizations,
  gas: attempt.gas,
  maxFeePerGas: attempt.maxFeePerGas,
  maxPriorityFeePerGas: attempt.maxPriorityFeePerGas,
});
