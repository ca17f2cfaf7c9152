import type { CheckoutWord } from '../../parties/checkout/word';
import { concludedRefunds } from '../engine/books/refunds';
import { type Conclusion, concludedBefore } from '../engine/conclusion';
import { isSame } from '../engine/follow';
import { moneyOf } from '../engine/record';
import { creditOf, type Deposit, paidOf } from './money';

type Payments = CheckoutWord['payments'];

/**
 * The word as a person concludes a session that the party never ends: its unsettled payments, the awaited payment,
 * and our refunds. Settled payments and the party's own refunds stay.
 */
export function concludedDeposit(situation: Deposit, as: Conclusion): CheckoutWord | undefined {
  const { word, partyRef, orderedAt, id } = situation.transfer;
  // A page without a name at the party can only be concluded as failed, and only once it was ordered.
  if (partyRef === null && (orderedAt === null || as === 'paid')) return undefined;
  const known: CheckoutWord = word ?? {
    key: id,
    page: 'open',
    payments: [],
    risk: 'normal',
    refunds: [],
    disputes: [],
  };
  // A deposit that was credited by a conclusion stays paid. A later conclusion concerns its refunds.
  const credit = creditOf(situation);
  const paid = credit && concludedBefore(situation, credit) === 'paid' ? 'paid' : as;
  const payments = paymentsAs(situation, known, paid);
  const refunds = concludedRefunds(situation, known.refunds, moneyOf);
  if (isSame([payments, refunds], [known.payments, known.refunds]) && !isAwaited(situation, known))
    return undefined;
  const isPaid = payments.some(({ status }) => status === 'settled');
  return { ...known, page: isPaid ? 'paid' : paid === 'failed' ? 'failed' : known.page, payments, refunds };
}

/** Whether the page still waits for a payment. */
const isAwaited = ({ transfer: { terms } }: Deposit, known: CheckoutWord): boolean =>
  terms !== null && known.page === 'open' && paidOf(known).length === 0;

function paymentsAs(situation: Deposit, known: CheckoutWord, as: Conclusion): Payments {
  const { terms } = situation.transfer;
  const status = as === 'paid' ? ('settled' as const) : ('failed' as const);
  const ended = known.payments.map((each) => (each.status === 'pending' ? { ...each, status } : each));
  if (!terms || as === 'failed' || !isAwaited(situation, known)) return ended;
  const { chargedAmount: amount, currency } = terms;
  return [...ended, { id: 'concluded', amount, currency, status }];
}
