import type { Tx } from '../../../kernel/db/database';
import {
  type OrderName,
  overdueOrders,
  type ToldOrder,
  tellOrders,
} from '../../../parties/orders/told-orders';
import { reconcilable } from '../../../process/overdue';
import type { Services } from '../../../services';
import type { Cardholder } from '../record';
import { findCardholder, lockRow } from '../store';
import { lookAtCardholder, submission } from '../workflows';

/** Where the reviewer tells of its applications. */
export const REVIEW_CALLBACKS = '/callbacks/cardholder-review';

/** One a submission: asking again gives the outcome of the first. The reviewer tells of it by this. */
export const submissionKey = ({ id, submissions }: Pick<Cardholder, 'id' | 'submissions'>): string =>
  `submission-${id}-${submissions}`;

/** Whose submission that key is, an earlier one too, its row locked; nothing where it is none of ours. */
async function lockSubmitted(tx: Tx, key: string): Promise<Cardholder | undefined> {
  const [, id] = /^submission-(\w+)-\d{1,9}$/.exec(key) ?? [];
  if (id === undefined) return undefined;
  await lockRow(tx, id);
  return findCardholder(tx, null, id);
}

export const submissionOrder = (
  cardholder: Pick<Cardholder, 'id' | 'tenantId' | 'submissions'>,
): OrderName => ({
  ...{ party: 'cardholderReview', ref: submissionKey(cardholder) },
  ...{ subject: cardholder.id, tenantId: cardholder.tenantId },
});

/**
 * The reviewer tells that those submissions have changed: the workflow of one that is under way asks what became of it. The word on
 * an earlier one changes nothing.
 * @returns what each is: `unknown` ones are shown to a person
 */
export async function tellSubmissions(
  services: Pick<Services, 'commands' | 'now' | 'log' | 'observeUnusable'>,
  tx: Tx,
  keys: readonly string[],
): Promise<('told' | 'ended' | 'unknown')[]> {
  const orders: ToldOrder[] = [];
  const unknown: string[] = [];
  const told: ('told' | 'ended' | 'unknown')[] = [];
  // In one order, so that two that tell of many at once wait for one another.
  for (const key of [...keys].sort()) {
    const cardholder = await lockSubmitted(tx, key);
    const isOpen = cardholder?.status === 'wait_audit' && submissionKey(cardholder) === key;
    if (!cardholder) unknown.push(key);
    else if (isOpen) orders.push({ ...submissionOrder(cardholder), look: lookAtCardholder(cardholder) });
    told.push(!cardholder ? 'unknown' : isOpen ? 'told' : 'ended');
  }
  await tellOrders(services, tx, 'cardholderReview', { orders, unknown });
  return told;
}

/** What the reviewer has told of is asked for, whatever Temporal has lost. */
export const submissionProcesses = reconcilable({
  name: 'orders told: cardholderReview',
  processes: [submission],
  overdue: overdueOrders('cardholderReview'),
  drive: ({ subject: id, tenantId }) => lookAtCardholder({ id, tenantId }),
});
