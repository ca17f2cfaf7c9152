import type { Sql, Tx } from '../../kernel/db/database';
import { isId } from '../../kernel/ids';
import { type OrderName, overdueOrders, type ToldOrder, tellOrders } from '../../parties/orders/told-orders';
import { reconcilable } from '../../process/overdue';
import type { Services } from '../../services';
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
    return tokenization && { ...tokenizationOrder(tokenization), look: lookAtTokenization(tokenization) };
  }
  const prefix = [ISSUE, CLOSE].find((each) => key.startsWith(each));
  const id = key.slice(prefix?.length);
  const card = prefix !== undefined && isId('card', id) ? await findCard(sql, null, id) : undefined;
  if (!card) return undefined;
  return prefix === ISSUE
    ? { ...issuanceOrder(card), look: lookAtIssuance(card) }
    : { ...closureOrder(card), look: lookAtClosure(card) };
}

/**
 * The processor tells that those orders have changed: their workflows ask what became of them. One that has ended is asked for
 * too, for the processor may say otherwise now.
 * @returns how many were orders of ours; the others are shown to a person
 */
export async function tellProcessorOrders(
  services: Pick<Services, 'commands' | 'now' | 'log' | 'observeUnusable'>,
  tx: Tx,
  keys: readonly string[],
): Promise<number> {
  const orders: ToldOrder[] = [];
  const unknown: string[] = [];
  for (const key of keys) {
    const order = await orderOf(tx, key);
    if (order) orders.push(order);
    else unknown.push(key);
  }
  await tellOrders(services, tx, 'cardProcessor', { orders, unknown });
  return orders.length;
}

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
