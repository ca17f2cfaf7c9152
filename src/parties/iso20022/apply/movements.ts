import { maxOf, sumOf } from '../../../kernel/money/money';
import { closeBreaksOf } from '../../../process/breaks/operations';
import { FILE_BREAKS } from '../breaks';
import type { BookedMovement } from '../messages/entries';
import { creditIdOf, entryName, returnIdOf } from '../names';
import { SEALED_UNDER } from '../services';
import { creditsNamed, insertCredit, insertRecall, lockCredit, recallsOf } from '../store/credits';
import { findEntry, insertEntry, noteConcern, noteStated } from '../store/entries';
import { type BankOrder, changeOrder, lockByName, noteCreditChange } from '../store/orders';
import { answered } from '../unanswered';
import { type Applying, show } from './context';
import { isRenamed } from './renamed';
import { bookReturn } from './returns';

/** An account that is reported, and the statement that has its entries. Null: a notification. */
export interface Reported {
  account: string;
  statementId: number | null;
  /** The names of all entries of the report. */
  names: ReadonlySet<string>;
  /** Place of the movement in its report, from 1. */
  place: number;
}

/**
 * Books a movement once, whichever messages repeat it. A movement without the bank's reference cannot be told from its
 * repetition, so a person books it.
 */
export async function applyMovement(
  applying: Applying,
  movement: BookedMovement,
  reported: Reported,
): Promise<void> {
  const { account, statementId, place } = reported;
  const { tx, file } = applying;
  const { reference, side, amount, currency } = movement;
  if (reference === undefined)
    return show(applying, FILE_BREAKS.unnamed, {
      subject: account,
      detail: `${side} ${place}`,
      money: movement,
    });
  const name = entryName(account, side, reference);
  if (!(await findEntry(tx, name)) && (await isRenamed(applying, movement, reported))) return;
  const isNew = await insertEntry(tx, {
    name,
    account,
    side,
    amount,
    currency,
    concerns: null,
    fileId: file.id,
    statementId,
  });
  if (!isNew) return repeated(applying, name, movement, reported);
  const concerns = await (side === 'debit' ? debited : credited)(applying, movement, name, account);
  if (concerns !== undefined) return noteConcern(tx, name, concerns);
  await show(applying, FILE_BREAKS.unmatched, { subject: reference, detail: side, money: movement });
}

async function repeated(
  applying: Applying,
  name: string,
  movement: BookedMovement,
  { account, statementId, place }: Omit<Reported, 'names'>,
): Promise<void> {
  const known = await findEntry(applying.tx, name);
  // A message has each movement once, so the same reference again is another movement.
  if (known?.fileId === applying.file.id)
    return show(applying, FILE_BREAKS.unnamed, {
      subject: account,
      detail: `${movement.side} ${place}`,
      money: movement,
    });
  if (known && !(known.amount.eq(movement.amount) && known.currency === movement.currency))
    await show(applying, FILE_BREAKS.changed, { subject: movement.reference ?? '', money: movement });
  if (statementId !== null) await noteStated(applying.tx, name, statementId);
}

/** @returns what the debit concerns: our order, or a received payment that was taken back */
async function debited(
  applying: Applying,
  movement: BookedMovement,
  name: string,
): Promise<string | undefined> {
  const { tx } = applying;
  const order = movement.endToEndId === undefined ? undefined : await lockByName(tx, movement.endToEndId);
  if (order && !movement.isReturn) return paid(applying, order, movement);
  return movement.isReturn ? recalled(applying, movement, name) : undefined;
}

/** Books the debit of an order. Charges that the entry includes concern nothing of ours, so a person is told. */
async function paid(
  applying: Applying,
  order: BankOrder,
  movement: BookedMovement,
): Promise<string | undefined> {
  const { tx } = applying;
  const subject = order.endToEndId;
  await answered(applying, order.fileId);
  if (movement.currency !== order.currency) {
    await show(applying, FILE_BREAKS.contradiction, { subject, detail: 'currency', money: movement });
    return undefined;
  }
  const { instructed } = movement;
  const hasCharges =
    instructed?.currency === movement.currency &&
    instructed.amount.eq(order.amount) &&
    instructed.amount.lt(movement.amount);
  const amount = hasCharges ? order.amount : movement.amount;
  if (hasCharges) {
    const charges = { amount: movement.amount.minus(amount), currency: movement.currency };
    await show(applying, FILE_BREAKS.unmatched, { subject, detail: 'charges', money: charges });
  }
  const total = order.debited.plus(amount);
  // The refusal has given the money back to the account.
  if (order.stage === 'failed')
    await show(applying, FILE_BREAKS.contradiction, { subject, detail: 'failed', money: movement });
  if (!total.eq(order.amount))
    await show(applying, FILE_BREAKS.contradiction, { subject, detail: 'debited', money: movement });
  await changeOrder(tx, order, {
    stage: 'completed',
    // The code of a return that was told before its debit stays.
    failureCode: order.stage === 'failed' ? null : order.failureCode,
    debited: total,
    sent: maxOf(order.sent, total),
  });
  return order.key;
}

/** Books what the payer's bank has taken back of a received payment. */
async function recalled(
  applying: Applying,
  movement: BookedMovement,
  name: string,
): Promise<string | undefined> {
  const { tx, services } = applying;
  const [found, other] = await creditsNamed(tx, movement);
  // A reference of two payments identifies neither.
  const credit = found && !other ? await lockCredit(tx, found.id) : undefined;
  if (credit?.currency !== movement.currency) return undefined;
  const before = sumOf(await recallsOf(tx, credit.id));
  if (before.plus(movement.amount).gt(credit.amount))
    await show(applying, FILE_BREAKS.contradiction, {
      subject: credit.id,
      detail: 'recalled',
      money: movement,
    });
  await insertRecall(tx, { id: `rec-${name.slice(0, 32)}`, creditId: credit.id, amount: movement.amount });
  await noteCreditChange(tx, credit.id);
  await closeBreaksOf(tx, { subject: credit.id, kinds: [FILE_BREAKS.recallAsked], at: services.now() });
  return credit.id;
}

/** @returns what the credit concerns: our order that comes back, or a payment to an IBAN of our range */
async function credited(
  applying: Applying,
  movement: BookedMovement,
  name: string,
  account: string,
): Promise<string | undefined> {
  const { tx, services } = applying;
  const order =
    movement.isReturn && movement.endToEndId !== undefined
      ? await lockByName(tx, movement.endToEndId)
      : undefined;
  if (order?.currency === movement.currency) {
    const { amount, currency, reason } = movement;
    await bookReturn(applying, order, {
      amount,
      currency,
      reason,
      id: returnIdOf(name),
      bookedBy: name,
      toldBy: null,
    });
    return order.key;
  }
  const { payeeIban = account, payer } = movement;
  // Money for our own account belongs to no virtual IBAN. A person books it.
  if (payeeIban === account || movement.isReturn) return undefined;
  const id = creditIdOf(name);
  const remitter =
    payer.name === undefined ? undefined : { name: payer.name.slice(0, 140), iban: payer.iban };
  const sealer = services.keyring.sealer(SEALED_UNDER);
  await insertCredit(tx, {
    id,
    iban: payeeIban,
    account,
    amount: movement.amount,
    currency: movement.currency,
    payer: remitter ? sealer.seal(Buffer.from(JSON.stringify(remitter)), id) : null,
    endToEndId: movement.endToEndId ?? null,
    transactionId: movement.transactionId ?? null,
    uetr: movement.uetr ?? null,
  });
  return id;
}
