import type { TransactionRow } from './records';

/** Whether the event is a consequence of an earlier event in the same transaction. */
export function follows({ type, forced, source, linked_id }: TransactionRow): boolean {
  if (type === 'settle' || type === 'close') return linked_id !== null;
  if (type === 'cancel') return source === 'settlement';
  if (type === 'freeze' || type === 'unfreeze') return linked_id !== null;
  if (type === 'withdraw') return source === 'closure' || source === 'buffer';
  return type === 'topup' && (forced || source === 'negative_balance' || source === 'buffer');
}

/**
 * Whether the event releases a late authorization at once, because the network had reversed it before. No caller asks
 * for it.
 */
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
