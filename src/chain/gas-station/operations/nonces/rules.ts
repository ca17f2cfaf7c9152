import type { Decimal } from '../../../../kernel/money/money';
import { areMost, ofMost } from '../../../../parties/chain/agreement';
import type { ChainFees, ToldNonces, UnsignedTransaction } from '../../../../parties/chain/port';
import { type BoundedFees, boundedFees, weiOfGwei } from '../../rules';
import type { Attempt } from './record';

/** Nodes take a replacement that is dearer by a tenth; an eighth is what they all take. */
const DEARER = { by: 9n, of: 8n };

/**
 * What is offered in place of a transaction that does not get into a block: an eighth more of both at least.
 * @returns nothing where the cap does not allow that
 */
export function dearerThan(
  before: BoundedFees,
  fees: ChainFees,
  cap: Decimal | null,
): BoundedFees | undefined {
  const now = boundedFees(fees, cap);
  if (!now) return undefined;
  const maxFeePerGas = most(anEighthMore(before.maxFeePerGas), now.maxFeePerGas);
  const priority = most(anEighthMore(before.maxPriorityFeePerGas), now.maxPriorityFeePerGas);
  if (cap !== null && maxFeePerGas > weiOfGwei(cap)) return undefined;
  return { maxFeePerGas, maxPriorityFeePerGas: priority };
}

/**
 * Whether the next block asks more than a transaction offers for it. A dearer one helps only then, and without a cap this bounds what
 * stands still for another reason.
 */
export function isBelowMarket(
  { maxFeePerGas, maxPriorityFeePerGas }: BoundedFees,
  market: Pick<ChainFees, 'baseFee' | 'maxPriorityFeePerGas'>,
): boolean {
  const asked = market.baseFee + market.maxPriorityFeePerGas;
  return maxFeePerGas < asked || maxPriorityFeePerGas < market.maxPriorityFeePerGas;
}

/** Of each price the highest that any attempt offers. */
export const dearestOf = (attempts: readonly BoundedFees[]): BoundedFees =>
  attempts.reduce((one, other) => ({
    maxFeePerGas: most(one.maxFeePerGas, other.maxFeePerGas),
    maxPriorityFeePerGas: most(one.maxPriorityFeePerGas, other.maxPriorityFeePerGas),
  }));

const anEighthMore = (price: bigint): bigint => (price * DEARER.by + DEARER.of - 1n) / DEARER.of;

const most = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** The most that a transaction can cost, beside what it moves. */
export const mostOf = ({ gas, maxFeePerGas }: Pick<UnsignedTransaction, 'gas' | 'maxFeePerGas'>): bigint =>
  gas * maxFeePerGas;

/** So many transactions of an address may wait for a block that somebody else has signed: who tells of more lies. */
const MAX_OF_OTHERS = 16;

/**
 * The nonce that comes next: the first that is free, so that none is left out. What waits for a block counts as most nodes tell it,
 * because a gap that one node invents would block the sender.
 * @param taken those from `counted` on that operations hold, in any order
 * @returns nothing where most tell of more before it than can be, or it is not most who tell that so few are in blocks: what had it would
 *   wait for ever, or was used long ago
 */
export function nonceToGive({ counted, each, of }: ToldNonces, taken: readonly number[]): number | undefined {
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
  ...{ chainId, nonce: attempt.nonce, from: attempt.address, to: attempt.recipient },
  ...{ value: attempt.value, data: attempt.data, authorizations: attempt.authorizations, gas: attempt.gas },
  ...{ maxFeePerGas: attempt.maxFeePerGas, maxPriorityFeePerGas: attempt.maxPriorityFeePerGas },
});
