import type { HoldingChange } from '../../chain/holdings/record';
import { fromUnits } from '../../chain/networks/rules';
import { ZERO } from '../../kernel/money/money';
import type { Holding } from '../engine/books/position';
import { type ChainDepositTerms, type ChainDepositWord, firstWord, poolOf } from './record';

/**
 * What the wallet holds because of a deposit: its units while it is in a block, whether or not that block is final.
 * @param word null: no node was asked yet, so the deposit is where it was found
 * @param holds what the books hold because of it
 */
export function holdingOf(
  { id, terms, word }: { id: string; terms: ChainDepositTerms; word: ChainDepositWord | null },
  holds: readonly Holding[],
): HoldingChange {
  const { chain, address, asset, decimals } = terms;
  const { state, units, blockNumber } = word ?? firstWord(terms);
  const isThere = state === 'seen' || state === 'final';
  const ofPool = holds.filter(({ component }) => component === poolOf(terms));
  // What stands on a chain is below zero in the books.
  const booked = ofPool.reduce((sum, { amount }) => sum.minus(amount), ZERO);
  const amount = isThere ? fromUnits(BigInt(units), decimals) : ZERO;
  return { chain, cause: id, address, place: 'pool', asset, amount, booked, blockNumber };
}
