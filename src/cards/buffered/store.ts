import { filtered, newestFirst } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { decimal, json, recordTable } from '../../kernel/db/record-table';
import { overdueIn } from '../../process/overdue';
import type { CardOperation, OperationType } from './record';

const operations = recordTable<CardOperation>('card_operations', {
  principal: decimal,
  buffer: decimal,
  fee: decimal,
  result: json,
  failure: json,
});

/**
 * @throws Error of Postgres when the caller has used the idempotency key for another operation of this type on the card
 */
export async function insertOperation(tx: Sql, operation: CardOperation): Promise<void> {
  await tx.run(operations().insert(operations.row(operation)));
}

export const findOperation = (sql: Sql, reach: string | null, id: string) =>
  operations.one(sql, operations().where({ id }).modify(filtered, { tenantId: reach }));

/** The newest operation of a type on a card, whatever its status. */
export const newestOperationOf = (sql: Sql, cardId: string, type: OperationType) =>
  operations.one(sql, operations().where({ cardId, type }).modify(newestFirst, { rows: 1 }));

/** The operation of a type that is under way on a card. A caller that changes it holds the card's lock. */
export async function openOperationOf(
  tx: Sql,
  cardId: string,
  type: OperationType,
): Promise<CardOperation | undefined> {
  const newest = await newestOperationOf(tx, cardId, type);
  return newest?.status === 'accepted' || newest?.status === 'processing' ? newest : undefined;
}

/** Writes status, result and failure. The caller holds the card's lock. */
export async function keepOperation(
  tx: Sql,
  { id, status, result, failure, updatedAt }: CardOperation,
): Promise<void> {
  const change = operations.row({ status, result, failure, updatedAt });
  await tx.run(operations().where({ id }).update(change));
}

export const overdueOperations = overdueIn<Pick<CardOperation, 'id' | 'tenantId'>>('card_operations', {
  columns: ['id', 'tenantId'],
  dueBy: 'updated_at',
  open: `status in ('accepted', 'processing')`,
});
