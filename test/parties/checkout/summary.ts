import { sumOf } from '../../../src/kernel/money/money';
import type { CheckoutWord } from '../../../src/parties/checkout/word';

interface Summary extends Pick<CheckoutWord, 'risk' | 'failureCode'> {
  /** `paid` or `settled` where a payment was made, else the page's status. */
  status: string;
  paid?: { amount: string; currency: string };
  refunds: { id: string; amount: string; status: string }[];
  disputes: { id: string; amount: string; status: string }[];
}

/** Summary of a state, as JSON. `paid` is the sum of the payments in the currency of the first one. */
export function summaryOf(word: CheckoutWord | 'unknown_to_party'): Summary {
  if (word === 'unknown_to_party') throw new Error('the party does not know the session');
  const { payments, page, risk, failureCode, refunds, disputes } = word;
  const made = payments.filter(({ status }) => status !== 'failed');
  const [first] = made;
  const paid = first && {
    amount: sumOf(made.filter(({ currency }) => currency === first.currency)),
    currency: first.currency,
  };
  const isSettled = made.every(({ status }) => status === 'settled');
  const status = first ? (isSettled ? 'settled' : 'paid') : page;
  return JSON.parse(JSON.stringify({ status, paid, risk, failureCode, refunds, disputes })) as Summary;
}
