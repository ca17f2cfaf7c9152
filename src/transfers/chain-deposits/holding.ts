import type { HoldingChange } from '../../chain/holdings/record';
import { fromUnits } from '../../chain/networks/rules';
import { type Decimal, sumOf, ZERO } from '../../kernel/money/money';
import type { Holding } from '../engine/books/position';
import { takenByResolutions } from '../engine/books/resolutions';
import {
  type ChainDeposit,
  type ChainDepositTerms,
  type ChainDepositWord,
  firstWord,
  poolOf,
} from './record';
import { amountOf, isConfirmed, isRefusedByScreening, isScreeningOpen } from './rules';

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

/** The holding of a deposit that was found now. Nobody has judged it, so sweeps leave it. */
export function newHoldingOf(opening: { id: string; terms: ChainDepositTerms }): HoldingChange {
  const holding = holdingOf({ ...opening, word: null }, []);
  return { ...holding, withheld: holding.amount };
}

/**
 * Amount that sweeps leave at its address: not judged before its booking, or refused and still in suspense. Zero once the
 * chain no longer has it.
 */
export function withheld(deposit: ChainDeposit): Decimal {
  const { word, terms } = deposit.transfer;
  const { state, units, screening } = word ?? firstWord(terms);
  if (state !== 'seen' && state !== 'final') return ZERO;
  const all = fromUnits(BigInt(units), terms.decimals);
  if (isRefusedByScreening(deposit)) {
    const taken = sumOf(takenByResolutions(deposit.decisions));
    return taken.lt(amountOf(terms, { units })) ? all.minus(taken) : ZERO;
  }
  const isUnasked = state === 'seen' && screening === undefined;
  return !isConfirmed(deposit) && (isUnasked || isScreeningOpen(deposit)) ? all : ZERO;
}
