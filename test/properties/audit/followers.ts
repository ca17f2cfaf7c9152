import type { TransactionRow } from './records';

/** Whether an event is part of what an earlier one of the same transaction began. */
export function follows({ type, forced, source, linked_id }: TransactionRow): boolean {
  if (type === 'settle' || type === 'close') return linked_id !== null;
  if (type === 'cancel') return source === 'settlement';
  if (type === 'freeze' || type === 'unfreeze') return linked_id !== null;
  if (type === 'withdraw') return source === 'closure' || source === 'buffer';
  return type === 'topup' && (forced || source === 'negative_balance' || source === 'buffer');
}

/** A network has reversed an authorization before we held it: what comes late is released at once, and nobody asks for that. */
export function isReleased(
  event: TransactionRow,
  before: TransactionRow | undefined,
  asked: ReadonlySet<string>,
): boolean {
  return (
    event.type === 'cancel' &&
    event.source === null &&
    !asked.has(event.id) &&
    before?.type === 'authorization' &&
    before.authorization_id === event.authorization_id &&
    before.at.getTime() === event.at.getTime()
  );
}
