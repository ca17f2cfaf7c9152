import { concludedAfter } from '../conclusion';
import type { Order } from '../kind';
import { type Decision, moneyOf, type Part, refusalOf, type Situation } from '../record';
import type { Back, Money } from './inflow';
import { underOurIds } from './parts';
import { decisionOf } from './resolutions';

/** Refunds: money that came in and goes back to the payer, by our order (a decision) or by the party itself. */

/** Decisions that send money back to the payer. */
export const REFUNDS: readonly string[] = ['refund', 'reject', decisionOf('return')];

/** A refund in a word. */
interface ReportedRefund {
  id: string;
  /** Our key, where we ordered the refund. */
  key?: string | undefined;
  status: 'pending' | 'succeeded' | 'failed';
}

/** A refund or dispute in a word. A dispute that takes nothing, or nothing any more, has the status `failed`. */
export interface ReportedReturn extends ReportedRefund, Money {
  /** The party's name of the part. */
  name: string;
  as: Back['as'];
}

/** The decision that ordered a refund. Undefined for a refund that the party made by itself, whatever key it names. */
export const orderOf = (
  { decisions }: Pick<Situation, 'decisions'>,
  { key }: Pick<ReportedRefund, 'key'>,
): Decision | undefined => decisions.find(({ id, kind }) => id === key && REFUNDS.includes(kind));

/** Refunds that we ordered and that the party has neither reported nor refused. */
export const unanswered = (
  { decisions }: Pick<Situation, 'decisions'>,
  reported: readonly Pick<ReportedRefund, 'key'>[],
): Decision[] =>
  decisions.filter(
    ({ kind, id }) =>
      REFUNDS.includes(kind) && !refusalOf({ decisions }, id) && !reported.some(({ key }) => key === id),
  );

/** Orders for unanswered refunds, keyed by the decision's id. */
export const refundOrders = (
  situation: Pick<Situation, 'decisions'>,
  reported: readonly Pick<ReportedRefund, 'key'>[],
): Order[] => unanswered(situation, reported).map(({ id: key }) => ({ key, what: 'refund' }));

/** The parts of a word. A refund that we ordered takes the id of our order, whatever name the party gives it. */
export const reportedParts = (
  situation: Pick<Situation, 'decisions'>,
  reported: readonly ReportedReturn[],
): (string | Part)[] =>
  reported.map((back) => {
    const order = orderOf(situation, back);
    return order ? { id: order.id, name: order.id } : back.name;
  });

/**
 * Money that went back, or is to go back by our order, under our ids, in the order first seen. A refund that the
 * party makes by itself counts when it is done.
 */
export function backsAmong(situation: Situation, reported: readonly ReportedReturn[]): Back[] {
  const gone = reported
    .map((back) => ({ ...back, order: orderOf(situation, back) }))
    .filter(({ status, order }) => status === 'succeeded' || (status === 'pending' && order !== undefined))
    .map(({ name, order, as, status, amount, currency }) => {
      const state = status === 'succeeded' ? ('done' as const) : ('asked' as const);
      return { name: order?.id ?? name, as, state, ordered: order !== undefined, amount, currency };
    });
  // Refunds that exist only by a person's conclusion keep our id and come last, like unanswered ones.
  const concluded = new Set(reported.filter(({ as }) => as === 'refund').map(({ id }) => id));
  const parts = situation.transfer.parts.filter(({ id }) => !concluded.has(id));
  return [
    ...underOurIds(parts, gone).map(({ name: _, ...back }) => back),
    ...unanswered(situation, reported).map((decision): Back => {
      return { part: decision.id, as: 'refund', state: 'asked', ordered: true, ...moneyOf(decision) };
    }),
  ];
}

const ENDED = { paid: 'succeeded', failed: 'failed' } as const;

/**
 * The refunds of a word, with the conclusions of a person on those that we ordered and the party does not end.
 * @param orderedIn maps an order to the amount fields of the word
 */
export function concludedRefunds<R extends ReportedRefund, M>(
  situation: Situation,
  reported: readonly R[],
  orderedIn: (order: Decision) => M,
) {
  const endOf = (order: Decision | undefined) => {
    const as = order && concludedAfter(situation, order);
    return as && ENDED[as];
  };
  const begun = reported.map((refund) => {
    const end = refund.status === 'pending' ? endOf(orderOf(situation, refund)) : undefined;
    return { ...refund, status: end ?? refund.status };
  });
  const never = unanswered(situation, reported).flatMap((order) => {
    const status = endOf(order);
    return status ? [{ id: order.id, key: order.id, ...orderedIn(order), status }] : [];
  });
  return [...begun, ...never];
}
