import { allCurrencies } from '../../../kernel/money/currencies';
import { closeBreaksOf, listBreaks, openBreakAgain } from '../../../process/breaks/operations';
import type { Services } from '../../../services';
import { overdueOrders } from './store';

/** Break: an order has waited for its settlement for longer than `SETTLEMENT_WAIT_SECONDS`. */
const OVERDUE = 'settlement_overdue';

/** Orders shown at once for each currency, longest waiting first. */
const SHOWN = 200;

/**
 * Opens breaks for orders that wait too long for settlement, with the owed amount. Closes those of orders that wait
 * no more.
 */
export async function showOverdue({
  database,
  now,
  settlementWaitSeconds,
}: Pick<Services, 'database' | 'now' | 'settlementWaitSeconds'>): Promise<void> {
  const at = now();
  const before = new Date(at.getTime() - settlementWaitSeconds * 1_000);
  const found = await overdueOrders(database, { currencies: allCurrencies(), before, limit: SHOWN });
  const overdue = new Map(found.map((order) => [order.id, order]));
  const open = await listBreaks(database, { kind: OVERDUE, limit: SHOWN * allCurrencies().length });
  for (const { subject } of open)
    if (!overdue.has(subject)) await closeBreaksOf(database, { subject, kinds: [OVERDUE], at });
  const shown = new Set(open.map(({ subject }) => subject));
  for (const { id, tenantId, currency, owed } of overdue.values())
    if (!shown.has(id))
      await openBreakAgain(database, {
        tenantId,
        kind: OVERDUE,
        subject: id,
        detail: currency,
        amount: owed,
        currency,
      });
}
