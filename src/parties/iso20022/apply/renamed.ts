import { FILE_BREAKS } from '../breaks';
import type { BookedMovement } from '../messages/entries';
import { creditOfTransaction } from '../store/credits';
import { entryNotStated, noteStated } from '../store/entries';
import { findByName } from '../store/orders';
import { type Applying, show } from './context';

/**
 * Recognises a movement that the bank has told of under another reference, such as a notified payment that the
 * statement sums up with others. Without this its money would be booked a second time.
 * @param given the statement, and the names of all its entries. Null: a notification
 * @returns whether the movement is known, so that nothing is to be booked
 */
export async function isRenamed(
  applying: Applying,
  movement: BookedMovement,
  given: { account: string; statementId: number | null; names: ReadonlySet<string> },
): Promise<boolean> {
  const { tx } = applying;
  const { account, statementId, names } = given;
  const { side, amount, currency, isReturn } = movement;
  const credit =
    side === 'credit' && !isReturn ? await creditOfTransaction(tx, movement, account) : undefined;
  const concerns = credit?.id ?? (await orderOf(applying, movement));
  if (concerns === undefined) return false;
  const known =
    statementId === null
      ? undefined
      : (await entryNotStated(tx, { concerns, account, side, amount, currency })).find(
          ({ name }) => !names.has(name),
        );
  if (known && statementId !== null) {
    await noteStated(tx, known.name, statementId);
    return true;
  }
  if (!credit) return false; // an order may be debited in parts, and come back in parts
  await show(applying, FILE_BREAKS.repeated, { subject: credit.id, detail: 'reference', money: movement });
  return true;
}

/** The order that a debit pays, or that a returned credit brings back. */
async function orderOf(
  { tx }: Applying,
  { side, isReturn, endToEndId }: BookedMovement,
): Promise<string | undefined> {
  if (endToEndId === undefined || (side === 'credit') !== isReturn) return undefined;
  return (await findByName(tx, endToEndId))?.key;
}
