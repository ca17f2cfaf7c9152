import type { Tx } from '../../../kernel/db/database';
import { unavailable } from '../../../kernel/errors';
import { lockLedgerAccounts } from '../../../kernel/ledger/accounts';
import type { Decimal } from '../../../kernel/money/money';
import type { Services } from '../../../services';
import { findTransfers } from '../../engine/read';
import { lockTransfers } from '../../engine/tables/lock-several';
import { dealtIn } from '../orders/deal';
import { releaseOrder } from '../orders/decide';
import { exchangeOrderKind } from '../orders/kind';
import type { ExchangeOrder } from '../orders/record';
import { awaitsPayment } from '../orders/rules';
import { balanceOf, readBalances } from './reading';
import { readAvailable, readCovered } from './releasable';
import { covered, increaseSince, isBeforeNews, isOfItsTime, type Reported, type Waiting } from './rules';
import { lockCheck, saveCheck, sentOut } from './store';

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
 * Asks the exchange, before anything is locked. What was sent out is read first: what goes out meanwhile is counted by the next
 * check.
 * @throws Problem 503 while the exchange cannot be asked, answers with what it knew before it was, or of a time to come
 */
export async function askForIncrease(services: Services, currency: string): Promise<Reported> {
  const { database, now } = services;
  const from = now();
  const sent = await sentOut(database, currency);
  const said = await readBalances(services);
  if (!isOfItsTime(said.asOf, { from, to: now() }))
    throw unavailable('The exchange answers with an old reading, or its clock is not ours.');
  return { reported: balanceOf(said, currency), asOf: said.asOf, sentOut: sent };
}

/**
 * Compares what the exchange has with our books, and lets the waiting orders go that the rest covers: the oldest first, each whole, none
 * overtaken. Checks of a currency go one after the other; a reading that is not newer than the last one's counts as that
 * one, and releases nothing.
 * @param decidedBy whose call it is
 * @throws Problem 503 for a reading that may not know yet of what an operator has taken home
 */
export async function checkIncrease(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  { currency, now, decidedBy }: { currency: string; now: Reported; decidedBy: string },
): Promise<CheckedIncrease> {
  const last = await lockCheck(tx, currency);
  const checkedAt = services.now();
  if (isBeforeNews(last, now))
    throw unavailable('Money was taken home just now: the exchange may not have counted that yet.');
  const isNews = now.asOf > last.asOf;
  const { reported, asOf, sentOut: sent } = isNews ? now : last;
  const available = await readAvailable(tx, currency, { reported, asOf });
  const { released, left } = isNews
    ? await lockCovered(services, tx, currency, available)
    : { released: [], left: available };
  for (const { id: orderId } of released) await releaseOrder(services, tx, { orderId, decidedBy });
  saveCheck(tx, { currency, reported, asOf, sentOut: sent, leftOver: left, checkedAt });
  const increase = increaseSince(last, { reported, sentOut: sent });
  return {
    ...{ currency, previous: last.reported, current: reported, asOf, increase, leftOver: left },
    ordersReleased: released.map(({ id }) => id),
  };
}

/**
 * The orders that are covered, as they are under their locks. Rows first and then all their accounts, each in the house's one
 * order: an advance holds one row when it waits for accounts, and no account when it waits for its row.
 */
async function lockCovered(
  { now }: Pick<Services, 'now'>,
  tx: Tx,
  currency: string,
  available: Decimal,
): Promise<{ released: Waiting[]; left: Decimal }> {
  const ids = (await readCovered(tx, currency, available)).released.map(({ id }) => id);
  if (ids.length === 0) return { released: [], left: available };
  await lockTransfers(tx, ids);
  const orders = await findTransfers({ database: tx, now }, exchangeOrderKind, ids);
  const byId = new Map(orders.map((order) => [order.transfer.id, order]));
  const waiting = ids.flatMap((id) => {
    const order = byId.get(id);
    return order && awaitsPayment(order) ? [{ id, order, amount: dealtIn(order.transfer.word).bought }] : [];
  });
  const found = covered(waiting, available);
  await lockLedgerAccounts(tx, accountsOf(found.released.map(({ order }) => order)));
  return found;
}

const accountsOf = (orders: readonly ExchangeOrder[]): string[] => [
  ...new Set(orders.flatMap(({ transfer: { accountId, terms } }) => [accountId ?? '', terms.toAccountId])),
];
