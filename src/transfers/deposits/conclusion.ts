import type { CheckoutWord } from '../../parties/checkout/word';
import { type Conclusion, concludedAfter, concludedBefore } from '../engine/conclusion';
import { isSame } from '../engine/follow';
import type { Decision } from '../engine/record';
import { creditOf, type Deposit, moneyOf, orderOf, paidOf, unansweredRefunds } from './money';

type Payments = CheckoutWord['payments'];
type Refunds = CheckoutWord['refunds'];

/**
 * What a person concludes of a session that the party never ends: payments that have not settled, the one that its page waits
 * for, and refunds that we ordered. What is settled, and what the party has taken back of itself, stays.
 */
export function concludedDeposit(situation: Deposit, as: Conclusion): CheckoutWord | undefined {
  const { word, partyRef, id } = situation.transfer;
  if (partyRef === null) return undefined;
  const known: CheckoutWord = word ?? {
    ...{ key: id, page: 'open', payments: [], risk: 'normal', refunds: [], disputes: [] },
  };
  // One that was credited because it had been concluded to be paid stays so: a later conclusion is of its refunds.
  const credit = creditOf(situation);
  const paid = credit && concludedBefore(situation, credit) === 'paid' ? 'paid' : as;
  const payments = paymentsAs(situation, known, paid);
  const refunds = refundsEnded(situation, known);
  if (isSame([payments, refunds], [known.payments, known.refunds]) && !isAwaited(situation, known))
    return undefined;
  const isPaid = payments.some(({ status }) => status === 'settled');
  return { ...known, page: isPaid ? 'paid' : paid === 'failed' ? 'failed' : known.page, payments, refunds };
}

/** Nobody has paid on its page yet. */
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

const ENDED = { paid: 'succeeded', failed: 'failed' } as const;

function refundsEnded(situation: Deposit, known: CheckoutWord): Refunds {
  const endOf = (order: Decision | undefined) => {
    const as = order && concludedAfter(situation, order);
    return as && ENDED[as];
  };
  const begun = known.refunds.map((refund) => {
    const end = refund.status === 'pending' ? endOf(orderOf(situation, refund)) : undefined;
    return { ...refund, status: end ?? refund.status };
  });
  const unanswered = unansweredRefunds(situation).flatMap((order) => {
    const status = endOf(order);
    return status ? [{ id: order.id, key: order.id, ...moneyOf(order), status }] : [];
  });
  return [...begun, ...unanswered];
}
