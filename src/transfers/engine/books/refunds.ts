import { concludedAfter } from '../conclusion';
import type { Order } from '../kind';
import { type Decision, moneyOf, type Part, refusalOf, type Situation } from '../record';
import { decisionOf } from './doors';
import type { Back, Money } from './inflow';
import { underOurIds } from './parts';

/** Money that came in and goes back to the payer: by our order, which is a decision, or by the party itself. */

/** Decisions that send money back to the payer. */
export const REFUNDS: readonly string[] = ['refund', 'reject', decisionOf('return')];

/** A refund as a word tells of it. */
interface ToldRefund {
  id: string;
  /** Ours, where we ordered it. */
  key?: string | undefined;
  status: 'pending' | 'succeeded' | 'failed';
}

/** What a word tells of that goes back. A dispute that takes nothing, or no more, has `failed`. */
export interface ToldBack extends ToldRefund, Money {
  /** What the party calls it among the parts. */
  name: string;
  as: Back['as'];
}

/** The decision by which we ordered a refund; nothing for one that the party has made of itself, whatever key it names. */
export const orderOf = (
  { decisions }: Pick<Situation, 'decisions'>,
  { key }: Pick<ToldRefund, 'key'>,
): Decision | undefined => decisions.find(({ id, kind }) => id === key && REFUNDS.includes(kind));

/** The decisions by which we have ordered a refund that the party has neither told of nor refused. */
export const unanswered = (
  { decisions }: Pick<Situation, 'decisions'>,
  told: readonly Pick<ToldRefund, 'key'>[],
): Decision[] =>
  decisions.filter(
    ({ kind, id }) =>
      REFUNDS.includes(kind) && !refusalOf({ decisions }, id) && !told.some(({ key }) => key === id),
  );

/** Each is ordered under the decision's id. */
export const refundOrders = (
  situation: Pick<Situation, 'decisions'>,
  told: readonly Pick<ToldRefund, 'key'>[],
): Order[] => unanswered(situation, told).map(({ id: key }) => ({ key, what: 'refund' }));

/** A refund that we ordered goes by our order's id, whatever the party calls it. */
export const partsToldOf = (
  situation: Pick<Situation, 'decisions'>,
  told: readonly ToldBack[],
): (string | Part)[] =>
  told.map((back) => {
    const order = orderOf(situation, back);
    return order ? { id: order.id, name: order.id } : back.name;
  });

/**
 * Money that has gone back, or is to go back by our order, each part under our id, in the order in which they were first seen.
 * What the party does of itself counts when it is done.
 */
export function backsAmong(situation: Situation, told: readonly ToldBack[]): Back[] {
  const gone = told
    .map((back) => ({ ...back, order: orderOf(situation, back) }))
    .filter(({ status, order }) => status === 'succeeded' || (status === 'pending' && order !== undefined))
    .map(({ name, order, as, status, amount, currency }) => {
      const state = status === 'succeeded' ? ('done' as const) : ('asked' as const);
      return { name: order?.id ?? name, as, state, ordered: order !== undefined, amount, currency };
    });
  // What only a person has told of, under our own id, comes as late as what nobody has answered.
  const concluded = new Set(told.filter(({ as }) => as === 'refund').map(({ id }) => id));
  const parts = situation.transfer.parts.filter(({ id }) => !concluded.has(id));
  return [
    ...underOurIds(parts, gone).map(({ name: _, ...back }) => back),
    ...unanswered(situation, told).map((decision): Back => {
      return { part: decision.id, as: 'refund', state: 'asked', ordered: true, ...moneyOf(decision) };
    }),
  ];
}

const ENDED = { paid: 'succeeded', failed: 'failed' } as const;

/**
 * The refunds of a word as a person has concluded them: those that we ordered and the party never ends.
 * @param orderedIn what the word says of an order's amount
 */
export function concludedRefunds<R extends ToldRefund, M>(
  situation: Situation,
  told: readonly R[],
  orderedIn: (order: Decision) => M,
) {
  const endOf = (order: Decision | undefined) => {
    const as = order && concludedAfter(situation, order);
    return as && ENDED[as];
  };
  const begun = told.map((refund) => {
    const end = refund.status === 'pending' ? endOf(orderOf(situation, refund)) : undefined;
    return { ...refund, status: end ?? refund.status };
  });
  const never = unanswered(situation, told).flatMap((order) => {
    const status = endOf(order);
    return status ? [{ id: order.id, key: order.id, ...orderedIn(order), status }] : [];
  });
  return [...begun, ...never];
}
