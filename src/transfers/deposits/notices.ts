import type { CheckoutWord } from '../../parties/checkout/word';
import { UNKNOWN_REFUND } from '../../process/breaks/kinds';
import type { WantedBreak } from '../../process/breaks/operations';
import { orderOf, REFUNDS } from '../engine/books/refunds';
import { type Decision, refusalOf } from '../engine/record';
import type { Deposit } from './money';

/**
 * Breaks of a deposit beyond suspense: a failed refund of ours, and money that the party takes back without our
 * order. Each is shown once, because a person must find out why.
 */
export const noticesOfDeposit = (situation: Deposit): WantedBreak[] => [
  ...failedRefunds(situation),
  ...takenByOthers(situation),
];

function failedRefunds(situation: Deposit): WantedBreak[] {
  const { decisions, transfer } = situation;
  const failed = new Set(
    (transfer.word?.refunds ?? [])
      .filter(({ status }) => status === 'failed')
      .map((refund) => orderOf(situation, refund)?.id),
  );
  return decisions
    .filter(({ kind, id }) => REFUNDS.includes(kind) && (refusalOf(situation, id) || failed.has(id)))
    .map((decision) => ({ kind: 'deposit_refund_failed', detail: decision.id, ...amountOf(decision) }));
}

const amountOf = ({ amount, currency }: Decision) =>
  amount === null || currency === null ? {} : { amount, currency };

/** A refund that the party has begun is shown before it is done. */
function takenByOthers(situation: Deposit): WantedBreak[] {
  const { refunds = [], disputes = [] }: Partial<CheckoutWord> = situation.transfer.word ?? {};
  return [
    ...refunds
      .filter((refund) => refund.status !== 'failed' && !orderOf(situation, refund))
      .map(({ id, amount, currency }) => ({ detail: `refund ${id}`, amount, currency })),
    ...disputes
      .filter(({ status }) => status !== 'won')
      .map(({ id, amount, currency }) => ({ detail: `dispute ${id}`, amount, currency })),
  ].map((taken) => ({ kind: UNKNOWN_REFUND, ...taken }));
}
