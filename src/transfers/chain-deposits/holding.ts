import type { HoldingChange } from '../../chain/holdings/record';
import { fromUnits } from '../../chain/networks/rules';
import { ZERO } from '../../kernel/money/money';
import type { Holding } from '../engine/books/position';
import { type ChainDepositTerms, type ChainDepositWord, firstWord, poolOf } from './record';

/**
 * The wallet's holding from a deposit: its units while a block has it, final or not.
 * @param word null: no node was asked yet, so the deposit is where it was found
 * @param holds components that the books hold for the deposit
 */
export function holdingOf(
  { id, terms, word }: { id: string; terms: ChainDepositTerms; word: ChainDepositWord | null },
  holds: readonly Holding[],
): HoldingChange {
  const { chain, address, asset, decimals } = terms;
  const { state, units, blockNumber } = word ?? firstWord(terms);
  const isThere = state === 'seen' || state === 'final';
  const ofPool = holds.filter(({ component }) => component === poolOf(terms));
  // Money that we have elsewhere is negative on its ledger account.
  const booked = ofPool.reduce((sum, { amount }) => sum.minus(amount), ZERO);
  const amount = isThere ? fromUnits(BigInt(units), decimals) : ZERO;
  return { chain, cause: id, address, place: 'pool', asset, amount, booked, blockNumber };
}
