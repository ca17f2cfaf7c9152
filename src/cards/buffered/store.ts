import { filtered, newestFirst, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { Decimal } from '../../kernel/money/money';
import { overdueIn } from '../../process/overdue';
import type { CardOperation, Funding, OperationType } from './record';

/** A row as Postgres gives it: NUMERIC is text. */
type Row = Omit<CardOperation, keyof Funding> & Record<keyof Funding, string>;

const operationOf = (row: Row): CardOperation => ({
  ...row,
  principal: new Decimal(row.principal),
  buffer: new Decimal(row.buffer),
  fee: new Decimal(row.fee),
});

const operations = () => table('card_operations');

/**
 * @throws Error of Postgres when the caller has used the idempotency key for another operation of this type on the card
 */
export async function insertOperation(tx: Sql, operation: CardOperation): Promise<void> {
  const { principal, buffer, fee } = operation;
  const amounts = { principal: principal.toFixed(), buffer: buffer.toFixed(), fee: fee.toFixed() };
  await tx.run(operations().insert({ ...operation, ...amounts }));
}

export async function findOperation(
  sql: Sql,
  reach: string | null,
  id: string,
): Promise<CardOperation | undefined> {
  const [row] = await sql.run<Row>(operations().where({ id }).modify(filtered, { tenantId: reach }));
  return row && operationOf(row);
}

/** The newest operation of a type on a card, whatever its status. */
export async function newestOperationOf(
  sql: Sql,
  cardId: string,
  type: OperationType,
): Promise<CardOperation | undefined> {
  const [row] = await sql.run<Row>(operations().where({ cardId, type }).modify(newestFirst, { rows: 1 }));
  return row && operationOf(row);
}

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
  const json = (value: object | null) => value && JSON.stringify(value);
  await tx.run(
    operations()
      .where({ id })
      .update({ status, updatedAt, result: json(result), failure: json(failure) }),
  );
}

export const overdueOperations = overdueIn<Pick<CardOperation, 'id' | 'tenantId'>>('card_operations', {
  columns: ['id', 'tenantId'],
  dueBy: 'updated_at',
  open: `status in ('accepted', 'processing')`,
});
