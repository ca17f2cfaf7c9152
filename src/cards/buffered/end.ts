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

/** What became of an operation: what was told of its postings, or why there are none. */
export type Ending = { told: readonly WebhookEvent[] } | { failure: { code: string; message: string } };

/** Ends an operation that is under way, in the transaction that posts it. The caller holds the card's lock. */
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

/** Applies a line of the table of states and tells of it. The caller holds the card's lock. @param referenceId of what was posted */
export async function moveOperation(
  { now }: Pick<Services, 'now'>,
  tx: Tx,
  operation: CardOperation,
  on: OperationTrigger,
  referenceId?: string,
): Promise<CardOperation> {
  const status = nextOperationStatus(operation.status, on);
  if (!status) throw new Error(`${on} leads nowhere from ${operation.status}`);
  const moved = { ...operation, status, updatedAt: now() };
  await keepOperation(tx, moved);
  tellWhenCommitted(tx);
  writeWithCommit(tx, [eventsWrite([told(moved, operation.status)])]); // after what was posted for it
  noteStatus(tx, moved, operation.status, referenceId);
  return moved;
}

/** In the history of the card. */
export function noteStatus(
  tx: Tx,
  { id, cardId, status, failure }: CardOperation,
  previousStatus: string | null,
  referenceId: string = id,
): void {
  const record = { kind: 'card_operation', recordId: id, referenceId } as const;
  noteStatusChanges(tx, cardId, [{ ...record, status, previousStatus, failure: failure?.code ?? null }]);
}

/** What is told of it. */
function told(operation: CardOperation, previousStatus: string): WebhookEvent {
  const { id: recordId, tenantId, accountId, status, failure, idempotencyKey, updatedAt: at } = operation;
  const change = { recordId, tenantId, accountId, status, previousStatus, at, idempotencyKey };
  return statusEvent({ ...change, failure: failure?.code ?? null }, 'transfer');
}
