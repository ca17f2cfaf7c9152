import type { Tx } from '../../../kernel/db/database';
import { unavailable } from '../../../kernel/errors';
import { lockLedgerAccounts } from '../../../kernel/ledger/accounts';
import type { Decimal } from '../../../kernel/money/money';
import type { Services } from '../../../services';
import { findTransfers } from '../../engine/read';
import { releaseOrder } from '../orders/decide';
import { exchangeOrderKind } from '../orders/kind';
import type { ExchangeOrder } from '../orders/record';
import { awaitsPayment, dealtIn } from '../orders/rules';
import { balanceOf, readBalances } from './reading';
import { availableBy, type Books, covered, increaseSince, type Reported, type Waiting } from './rules';
import { lockCheck, lockTransfers, readBooks, saveCheck, sentOut, waitingOrders } from './store';

/** So many orders one check releases at most: more wait for the next, and no lock is held for long. */
const AT_ONCE = 50;

/** So much the exchange's clock may be behind ours. */
const OLD_MS = 5_000;

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

/** What the exchange says now, and our books of before it was asked. */
export interface Asked extends Reported {
  before: Books;
}

/**
 * Asks the exchange, before anything is locked. Books and what was sent out are read first: what goes out meanwhile makes the
 * answer less, never more, and the next check finds it.
 * @throws Problem 503 while the exchange cannot be asked, or answers with what it knew before it was
 */
export async function askForIncrease(services: Services, currency: string): Promise<Asked> {
  const { database, now } = services;
  const begun = now();
  const [before, sent] = await Promise.all([readBooks(database, currency), sentOut(database, currency)]);
  const said = await readBalances(services);
  if (said.asOf.getTime() < begun.getTime() - OLD_MS)
    throw unavailable('The exchange answers with an old reading.');
  return { reported: balanceOf(said, currency), asOf: said.asOf, sentOut: sent, before };
}

/**
 * Compares what the exchange has with our books, and lets the waiting orders go that the rest covers: the oldest first, each whole, none
 * overtaken. Checks of a currency go one after the other; a reading that is not newer than the last one's counts as that
 * one, and releases nothing.
 * @param decidedBy whose call it is
 */
export async function checkIncrease(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  { currency, now, decidedBy }: { currency: string; now: Asked; decidedBy: string },
): Promise<CheckedIncrease> {
  const last = await lockCheck(tx, currency);
  const isNews = now.asOf > last.asOf;
  const { reported, asOf, sentOut: sent } = isNews ? now : last;
  const available = availableBy(reported, [now.before, await readBooks(tx, currency)]);
  const { released, left } = isNews
    ? await lockCovered(services, tx, currency, available)
    : { released: [], left: available };
  for (const { id: orderId } of released) await releaseOrder(services, tx, { orderId, decidedBy });
  saveCheck(tx, { currency, reported, asOf, sentOut: sent, leftOver: left, checkedAt: services.now() });
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
  const none = { released: [], left: available };
  if (!available.gt(0)) return none;
  const ids = covered(await waitingOrders(tx, currency, AT_ONCE), available).released.map(({ id }) => id);
  if (ids.length === 0) return none;
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
