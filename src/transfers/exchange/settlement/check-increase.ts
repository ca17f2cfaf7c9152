import type { Tx } from '../../../kernel/db/database';
import { lockLedgerAccounts } from '../../../kernel/ledger/accounts';
import type { Decimal } from '../../../kernel/money/money';
import type { Services } from '../../../services';
import { findTransfers } from '../../engine/read';
import { releaseOrder } from '../orders/decide';
import { exchangeOrderKind } from '../orders/kind';
import { dealOf } from '../orders/position';
import type { ExchangeOrder } from '../orders/record';
import { balanceOf, readBalances } from './reading';
import { covered, increaseSince, type NowReported } from './rules';
import { lockCheck, lockTransfers, saveCheck, sentOut, waitingOrderIds } from './store';

/** So many orders one check lets go: more wait for the next, which finds what is left over. */
const AT_ONCE = 500;

export interface CheckedIncrease {
  currency: string;
  /** What the exchange reported at the check before, and at this one. */
  previous: Decimal;
  current: Decimal;
  asOf: Date;
  /** What has come since. */
  increase: Decimal;
  /** Of all that has come, what no order was released for. */
  leftOver: Decimal;
  /** The longest waiting first. */
  ordersReleased: string[];
}

/**
 * Asks the exchange, before anything is locked. What was sent out is counted first: what goes out meanwhile is in the answer
 * at most, and then less has come than has – the next check finds it.
 * @throws Problem 503 while the exchange cannot be asked
 */
export async function askForIncrease(services: Services, currency: string): Promise<NowReported> {
  const sent = await sentOut(services.database, currency);
  const reading = await readBalances(services);
  return { reported: balanceOf(reading, currency), asOf: reading.asOf, sentOut: sent };
}

/**
 * Counts what has come from the exchange since the last check, and lets the waiting orders go that it covers: the oldest
 * first, each whole, none overtaken. Checks of a currency go one after the other.
 * @param decidedBy whose call it is
 */
export async function checkIncrease(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  { currency, now, decidedBy }: { currency: string; now: NowReported; decidedBy: string },
): Promise<CheckedIncrease> {
  const last = await lockCheck(tx, currency);
  const { increase, come, isNews } = increaseSince(last, now);
  const { released, left } = covered(await lockWaiting(services, tx, currency), last.leftOver.plus(come));
  for (const { id: orderId } of released) await releaseOrder(services, tx, { orderId, decidedBy });
  const { reported, asOf, sentOut: sent } = isNews ? now : last;
  saveCheck(tx, { currency, reported, asOf, sentOut: sent, leftOver: left, checkedAt: services.now() });
  return {
    ...{ currency, previous: last.reported, current: reported, asOf, increase, leftOver: left },
    ordersReleased: released.map(({ id }) => id),
  };
}

/**
 * The orders that wait for that currency, as they are under their locks. Rows first and then all their accounts, each in the
 * house's one order: an advance holds one row when it waits for accounts, and no account when it waits for its row.
 */
async function lockWaiting(
  { now }: Pick<Services, 'now'>,
  tx: Tx,
  currency: string,
): Promise<{ id: string; amount: Decimal }[]> {
  const ids = await waitingOrderIds(tx, currency, AT_ONCE);
  if (ids.length === 0) return [];
  await lockTransfers(tx, ids);
  const orders = await findTransfers({ database: tx, now }, exchangeOrderKind, ids);
  await lockLedgerAccounts(tx, accountsOf(orders));
  const byId = new Map(orders.map((order) => [order.transfer.id, order]));
  return ids.flatMap((id) => {
    const order = byId.get(id);
    const deal = order?.transfer.status === 'awaiting_settlement' ? dealOf(order) : undefined;
    return deal ? [{ id, amount: deal.bought }] : [];
  });
}

const accountsOf = (orders: readonly ExchangeOrder[]): string[] => [
  ...new Set(orders.flatMap(({ transfer: { accountId, terms } }) => [accountId ?? '', terms.toAccountId])),
];
