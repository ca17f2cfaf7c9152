import { CURRENCIES } from '../../../kernel/money/currencies';
import { closeBreaksOf, listBreaks, openBreakAgain } from '../../../process/breaks/operations';
import type { Services } from '../../../services';
import { overdueOrders } from './store';

/** An order that waits for its settlement for longer than `SETTLEMENT_WAIT_SECONDS`. */
const OVERDUE = 'settlement_overdue';

/** So many are shown at once, of each currency the longest waiting first. */
const SHOWN = 200;

/** Shows the orders that wait for their settlement too long, each with what it is owed, and those no more that do not. */
export async function showOverdue({
  database,
  now,
  settlementWaitSeconds,
}: Pick<Services, 'database' | 'now' | 'settlementWaitSeconds'>): Promise<void> {
  const at = now();
  const before = new Date(at.getTime() - settlementWaitSeconds * 1_000);
  const found = await overdueOrders(database, { currencies: CURRENCIES, before, limit: SHOWN });
  const overdue = new Map(found.map((order) => [order.id, order]));
  const open = await listBreaks(database, { kind: OVERDUE, limit: SHOWN * CURRENCIES.length });
  for (const { subject } of open)
    if (!overdue.has(subject)) await closeBreaksOf(database, { subject, kinds: [OVERDUE], at });
  const shown = new Set(open.map(({ subject }) => subject));
  for (const { id, tenantId, currency, owed } of overdue.values())
    if (!shown.has(id))
      await openBreakAgain(database, {
        ...{ tenantId, kind: OVERDUE, subject: id, detail: currency, amount: owed, currency },
      });
}
