import type { Sql } from '../../kernel/db/database';
import { readBalances } from '../../kernel/ledger/accounts';
import { type Decimal, sumOf, ZERO } from '../../kernel/money/money';
import { closeBreaksOf, listBreaks, openBreakAgain } from '../../process/breaks/operations';
import type { Services } from '../../services';
import { openOperationOf } from '../buffered/operations';
import { totalDebit } from '../buffered/record';
import { overdueCards, requireCard } from '../cards/operations';
import type { Card } from '../cards/record';
import { closureOrder } from './closure';
import { issuanceOrder } from './issuance';

/** Break of an issuance or closure that the card processor has left open for longer than `CARD_ORDER_WAIT_SECONDS`. */
export const ORDER_OVERDUE = 'card_order_overdue';

/** The number of breaks that are kept open at once; the longest waiting orders come first. */
const SHOWN = 200;

/**
 * Opens a break for each overdue card order, with the money that waits, and closes the breaks of orders that have
 * ended. Reads only the database, because the processor may not answer.
 */
export async function showOverdueOrders({
  database,
  now,
  cardOrderWaitSeconds,
}: Pick<Services, 'database' | 'now' | 'cardOrderWaitSeconds'>): Promise<void> {
  const at = now();
  const before = new Date(at.getTime() - cardOrderWaitSeconds * 1_000);
  const found = await overdueCards.due(database, { before, limit: SHOWN, except: [] });
  const overdue = new Set(found.map(({ id }) => id));
  const open = await listBreaks(database, { kind: ORDER_OVERDUE, limit: SHOWN });
  for (const { subject } of open)
    if (!overdue.has(subject)) await closeBreaksOf(database, { subject, kinds: [ORDER_OVERDUE], at });
  for (const { id } of found) await show(database, await requireCard(database, null, id));
}

/** Opens the break of one order, unless an operator has resolved it. */
async function show(sql: Sql, card: Card): Promise<void> {
  const { id, tenantId, status, currency, updatedAt } = card;
  const detail = (status === 'pending' ? issuanceOrder : closureOrder).keyOf(card);
  const given = { tenantId, kind: ORDER_OVERDUE, subject: id, detail, currency };
  await openBreakAgain(sql, { ...given, amount: await waitingAmount(sql, card) }, updatedAt);
}

/** The money that waits for an order: the hold of an issuance, or the balance and buffer of a closing card. */
export async function waitingAmount(sql: Sql, card: Card): Promise<Decimal> {
  const { id, status, initialAmount: principal, issueFee: fee, bufferAccountId } = card;
  if (status === 'pending') {
    const operation = await openOperationOf(sql, id, 'issue');
    return totalDebit({ principal, buffer: operation?.buffer ?? ZERO, fee });
  }
  const accounts = await readBalances(sql, bufferAccountId === null ? [id] : [id, bufferAccountId]);
  return sumOf([...accounts.values()].map(({ available: amount }) => ({ amount })));
}
