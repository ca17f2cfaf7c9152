import type { Tx } from '../../kernel/db/database';
import { writeWithCommit } from '../../kernel/db/writes';
import { noteStatusChanges } from '../../kernel/ledger/status-changes';
import { eventsWrite, tellWhenCommitted, type WebhookEvent } from '../../kernel/outbox/events';
import { statusEvent } from '../../kernel/outbox/status-event';
import type { Services } from '../../services';
import type { CardOperation, OperationTrigger } from './record';
import { resultOf } from './result';
import { nextOperationStatus } from './rules';
import { keepOperation } from './store';

/** How an operation ends: with the events of its postings, or with a failure. */
export type Ending = { told: readonly WebhookEvent[] } | { failure: { code: string; message: string } };

/** Completes or fails an operation under way, in the transaction of its postings. The caller holds the card's lock. */
export async function endOperation(
  services: Pick<Services, 'now'>,
  tx: Tx,
  operation: CardOperation,
  ending: Ending,
): Promise<CardOperation> {
  const ended =
    'told' in ending
      ? { ...operation, result: resultOf(ending.told, operation.currency) }
      : { ...operation, failure: ending.failure };
  if (!('told' in ending)) return moveOperation(services, tx, ended, 'fail');
  const [first] = ending.told.flatMap(({ reference }) => reference?.id ?? []);
  return moveOperation(services, tx, ended, 'complete', first);
}

/**
 * Moves an operation to its next status and appends the status event. The caller holds the card's lock.
 * @param referenceId the first record that was posted for the operation
 * @throws Error when the table of transitions has no such row
 */
export async function moveOperation(
  { now }: Pick<Services, 'now'>,
  tx: Tx,
  operation: CardOperation,
  on: OperationTrigger,
  referenceId?: string,
): Promise<CardOperation> {
  const status = nextOperationStatus(operation.status, on);
  if (!status) throw new Error(`an operation that is ${operation.status} has no transition ${on}`);
  const moved = { ...operation, status, updatedAt: now() };
  await keepOperation(tx, moved);
  tellWhenCommitted(tx);
  writeWithCommit(tx, [eventsWrite([told(moved, operation.status)])]); // after the events of the postings
  noteStatus(tx, moved, operation.status, referenceId);
  return moved;
}

/** Notes a status of the operation in the history of its card. */
export function noteStatus(
  tx: Tx,
  { id, cardId, status, failure }: CardOperation,
  previousStatus: string | null,
  referenceId: string = id,
): void {
  const record = { kind: 'card_operation', recordId: id, referenceId } as const;
  noteStatusChanges(tx, cardId, [{ ...record, status, previousStatus, failure: failure?.code ?? null }]);
}

function told(operation: CardOperation, previousStatus: string): WebhookEvent {
  const { id: recordId, tenantId, accountId, status, failure, idempotencyKey, updatedAt: at } = operation;
  const change = { recordId, tenantId, accountId, status, previousStatus, at, idempotencyKey };
  return statusEvent({ ...change, failure: failure?.code ?? null }, 'transfer');
}
