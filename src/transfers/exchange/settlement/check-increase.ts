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
import { covered, increaseSince, isOfItsTime, mayMissWithdrawal, type Reported, type Waiting } from './rules';
import { lockCheck, saveCheck, sentOut } from './store';

export interface CheckedIncrease {
  currency: string;
  /** The balances that the exchange reported at the previous check and at this one. */
  previous: Decimal;
  current: Decimal;
  asOf: Date;
  /** Money that has come since the previous check. */
  increase: Decimal;
  /** Money that has come, all in all, and that no order was released for. */
  leftOver: Decimal;
  /** Longest waiting first. */
  ordersReleased: string[];
}

/**
 * Asks the exchange for its balance, before anything is locked. Reads our sent amounts first, so that later ones are
 * left to the next check.
 * @throws Problem 503 while the exchange cannot be asked, or its reading is of another time
 */
export async function askForIncrease(services: Services, currency: string): Promise<Reported> {
  const { database, now } = services;
  const from = now();
  const sent = await sentOut(database, currency);
  const said = await readBalances(services);
  if (!isOfItsTime(said.asOf, { from, to: now() }))
    throw unavailable('The reading of the exchange is old, or its clock differs from ours.');
  return { reported: balanceOf(said, currency), asOf: said.asOf, sentOut: sent };
}

/**
 * Compares the exchange's balance with our books, and releases the waiting orders that the difference covers: the
 * oldest first, each as a whole, none overtaken.
 *
 * Checks of a currency run one after the other. A reading that is not newer than the last one counts as that one and
 * releases nothing.
 * @param decidedBy caller
 * @throws Problem 503 for a reading that may lack an operator's withdrawal
 */
export async function checkIncrease(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  { currency, now, decidedBy }: { currency: string; now: Reported; decidedBy: string },
): Promise<CheckedIncrease> {
  const last = await lockCheck(tx, currency);
  const checkedAt = services.now();
  if (mayMissWithdrawal(last, now))
    throw unavailable('An operator has just booked a withdrawal that the reading may not include yet.');
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
    currency,
    previous: last.reported,
    current: reported,
    asOf,
    increase,
    leftOver: left,
    ordersReleased: released.map(({ id }) => id),
  };
}

/**
 * Locks the covered orders and reads them again. All rows come before all accounts. A step waits for accounts with
 * one row locked, and for its row with no account locked, so no deadlock arises.
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
