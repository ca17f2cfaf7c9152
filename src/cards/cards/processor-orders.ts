import type { Sql, Tx } from '../../kernel/db/database';
import { isId } from '../../kernel/ids';
import {
  keepForTurn,
  type OrderName,
  overdueOrders,
  type ToldOrder,
  tellInTurn,
  tellOrders,
} from '../../parties/orders/told-orders';
import { reconcilable } from '../../process/overdue';
import type { Services } from '../../services';
import { isClosed } from './rules';
import { findCard } from './store';
import { findTokenization } from './tokenization-store';
import { lookAtClosure, lookAtIssuance, lookAtTokenization, processesOfOrders } from './workflows';

/** Where the card processor tells of its orders. */
export const PROCESSOR_CALLBACKS = '/callbacks/card-processor';

/** Keys of our orders, one a record: asking again gives the outcome of the first. The processor tells of them by these. */
const ISSUE = 'issue-';
const CLOSE = 'close-';
const TOKENIZE = 'tokenize-';
export const orderKey = (cardId: string): string => ISSUE + cardId;
export const closureKey = (cardId: string): string => CLOSE + cardId;
export const tokenizationKey = (tokenizationId: string): string => TOKENIZE + tokenizationId;

/** The order of that key with whoever asks what became of it; nothing where no order of ours has it. */
async function orderOf(sql: Sql, key: string): Promise<ToldOrder | undefined> {
  if (key.startsWith(TOKENIZE)) {
    const tokenization = await findTokenization(sql, key.slice(TOKENIZE.length));
    if (!tokenization) return undefined;
    const hasEnded = tokenization.status !== 'pending';
    return { ...tokenizationOrder(tokenization), look: lookAtTokenization(tokenization), hasEnded };
  }
  const prefix = [ISSUE, CLOSE].find((each) => key.startsWith(each));
  const id = key.slice(prefix?.length);
  const card = prefix !== undefined && isId('card', id) ? await findCard(sql, null, id) : undefined;
  if (!card) return undefined;
  const { status, processorClosedAt } = card;
  if (prefix === ISSUE)
    return { ...issuanceOrder(card), look: lookAtIssuance(card), hasEnded: status !== 'pending' };
  const hasEnded = !isClosed(status) || processorClosedAt !== null;
  return { ...closureOrder(card), look: lookAtClosure(card), hasEnded };
}

/**
 * The processor tells that those orders have changed: their workflows ask what became of them. One that has ended is asked for
 * too, for the processor may say otherwise now; in its turn where a list names it, which may name all that there ever were.
 * @returns how many were orders of ours; the others are shown to a person
 */
export async function tellProcessorOrders(
  services: Pick<Services, 'commands' | 'now' | 'log' | 'observeUnusable'>,
  tx: Tx,
  keys: readonly string[],
  by: 'callback' | 'list',
): Promise<number> {
  const orders: ToldOrder[] = [];
  const unknown: string[] = [];
  for (const key of keys) {
    const order = await orderOf(tx, key);
    if (order) orders.push(order);
    else unknown.push(key);
  }
  const later = by === 'list' ? orders.filter(({ hasEnded }) => hasEnded) : [];
  await keepForTurn(tx, later);
  const atOnce = orders.filter((order) => !later.includes(order));
  await tellOrders(services, tx, 'cardProcessor', { orders: atOnce, unknown });
  return orders.length;
}

/** The next few of the orders that have ended and were listed. */
export const tellEndedInTurn = (services: Pick<Services, 'commands' | 'now'>, tx: Tx): Promise<void> =>
  tellInTurn(services, tx, 'cardProcessor', lookAtOrder);

type Named = { id: string; tenantId: string };
const orderNamed =
  (keyOf: (id: string) => string) =>
  ({ id, tenantId }: Named): OrderName => ({
    ...{ party: 'cardProcessor', ref: keyOf(id), subject: id, tenantId },
  });
export const issuanceOrder = orderNamed(orderKey);
export const closureOrder = orderNamed(closureKey);
export const tokenizationOrder = orderNamed(tokenizationKey);

/** An order that the processor has told of and that nobody has asked for since, as the reconciler tells it again. */
function lookAtOrder({ ref, subject, tenantId }: Pick<OrderName, 'ref' | 'subject' | 'tenantId'>) {
  const record = { id: subject, tenantId };
  if (ref.startsWith(TOKENIZE)) return lookAtTokenization(record);
  return ref.startsWith(ISSUE) ? lookAtIssuance(record) : lookAtClosure(record);
}

/** What the processor has told of is asked for, whatever Temporal has lost. */
export const processorOrderProcesses = reconcilable({
  name: 'orders told: cardProcessor',
  processes: processesOfOrders,
  overdue: overdueOrders('cardProcessor'),
  drive: lookAtOrder,
});
