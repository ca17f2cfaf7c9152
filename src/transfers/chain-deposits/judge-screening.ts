import { isAccountClosed } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { resolutionsOf } from '../engine/books/resolutions';
import type { NewDecision, Screenable } from '../engine/kind';
import { first } from '../engine/record';
import { changesOf } from '../screening/operations';
import { SCREENING_CLEARED, SCREENING_REFUSED, screeningKey, type Verdict } from '../screening/record';
import {
  type ChainDeposit,
  type ChainDepositTerms,
  type ChainDepositWord,
  dataOnScreening,
  firstWord,
} from './record';
import {
  ACCOUNT_CLOSED,
  amountOf,
  creditOf,
  isConfirmed,
  isRefusedByScreening,
  isScreeningOpen,
} from './rules';

/** How people decide on the screening of a deposit: it is credited, or stands in suspense as one that the party refuses. */
export const depositScreening: Screenable<ChainDepositTerms, ChainDepositWord> = {
  keyOf: ({ transfer: { id, word, terms } }) => screeningKey(id, (word ?? terms).units),
  moneyOf: ({ transfer: { terms, word } }) => ({
    amount: amountOf(terms, word ?? terms),
    currency: terms.asset,
  }),
  changes: changesOf,
  decisions: async (tx, deposit, { verdict, reason }) => {
    assertOpen(deposit, verdict);
    const data = dataOnScreening(deposit.transfer.word ?? firstWord(deposit.transfer.terms));
    if (verdict === 'refused') return [{ kind: SCREENING_REFUSED, data, reason }];
    return [{ kind: SCREENING_CLEARED, data, reason }, ...(await closing(tx, deposit))];
  },
};

/** A closed account receives nothing: the cleared money stands in suspense. A credit that it had before its end stays. */
async function closing(tx: Tx, deposit: ChainDeposit): Promise<NewDecision[]> {
  const { accountId } = deposit.transfer;
  const isNoted = accountId === null || first(deposit, ACCOUNT_CLOSED) !== undefined;
  if (isNoted || creditOf(deposit) !== null) return [];
  return (await isAccountClosed(tx, accountId)) ? [{ kind: ACCOUNT_CLOSED }] : [];
}

/** @throws Problem 409 `invalid_transition` */
function assertOpen(deposit: ChainDeposit, verdict: Verdict): void {
  const isBooked = isConfirmed(deposit);
  if (verdict === 'refused' && isBooked && isScreeningOpen(deposit))
    throw conflict('invalid_transition', 'The deposit is booked, so that a refusal moves nothing.');
  if (isScreeningOpen(deposit)) return;
  if (verdict === 'refused' || !isRefusedByScreening(deposit))
    throw conflict('invalid_transition', 'The screening of the deposit waits for nobody.');
  if (!isBooked && deposit.transfer.word?.state !== 'final')
    throw conflict('invalid_transition', 'The chain does not show the deposit as final now.');
  if (resolutionsOf(deposit.decisions).length > 0)
    throw conflict('invalid_transition', 'Operators have taken its money out of suspense already.');
}
