import type { Decimal } from '../../../kernel/money/money';
import { sumOf } from '../../../kernel/money/money';
import { FILE_BREAKS } from '../breaks';
import type { PaymentReturns } from '../messages/payment-return';
import { failureOf } from '../messages/status-codes';
import { returnIdOf } from '../names';
import {
  type BankOrder,
  changeOrder,
  insertReturn,
  lockByName,
  nameReturn,
  returnsOfOrder,
} from '../store/orders';
import { answered } from '../unanswered';
import { type Applying, show } from './context';

/** Money of an order that has come back, as one of the two messages reports it. */
export interface Return {
  id: string;
  amount: Decimal;
  currency: string;
  reason: string | undefined;
  toldBy: string | null;
  bookedBy: string | null;
}

/**
 * Notes a return once. A `pacs.004` and a booked entry of the same amount are the same return, because they have no
 * common reference. A person decides between two that differ and together exceed the order.
 */
export async function bookReturn(applying: Applying, order: BankOrder, made: Return): Promise<void> {
  const { tx } = applying;
  const { id, amount, currency, reason, toldBy, bookedBy } = made;
  await answered(applying, order.fileId);
  await answered(applying, order.recallFileId);
  const known = await returnsOfOrder(tx, order.key);
  if (known.some((one) => toldBy !== null && one.toldBy === toldBy)) return;
  const lacks = toldBy === null ? 'bookedBy' : 'toldBy';
  const other = known.find((one) => one[lacks] === null && one.amount.eq(amount));
  if (other) {
    await nameReturn(tx, other.id, {
      [lacks]: toldBy ?? bookedBy,
      ...(other.reason === null && reason !== undefined ? { reason } : {}),
    });
    return;
  }
  if (sumOf(known).plus(amount).gt(order.amount)) {
    const subject = order.endToEndId;
    await show(applying, FILE_BREAKS.contradiction, {
      subject,
      detail: 'returned',
      money: { amount, currency },
    });
    if (toldBy !== null || known.some((one) => one.bookedBy === null)) return;
  }
  await insertReturn(tx, { id, orderKey: order.key, amount, reason: reason ?? null, toldBy, bookedBy });
  await changeOrder(tx, order, { failureCode: failureOf(reason) });
}

/** Applies a `pacs.004`. */
export async function applyPaymentReturns(
  applying: Applying,
  { messageId, returns }: PaymentReturns,
): Promise<void> {
  for (const { id, endToEndId, original, reason, ...money } of returns) {
    const order = endToEndId === undefined ? undefined : await lockByName(applying.tx, endToEndId);
    const subject = endToEndId ?? id ?? messageId;
    if (!order) {
      await show(applying, FILE_BREAKS.unknownReference, { subject, detail: 'return', money });
      continue;
    }
    const isOther = original && !(original.currency === order.currency && original.amount.eq(order.amount));
    if (isOther || money.currency !== order.currency || money.amount.gt(order.amount)) {
      await show(applying, FILE_BREAKS.contradiction, { subject, detail: 'return', money });
      continue;
    }
    const toldBy = `${messageId}/${id ?? order.endToEndId}`;
    await bookReturn(applying, order, { ...money, reason, id: returnIdOf(toldBy), toldBy, bookedBy: null });
  }
}
