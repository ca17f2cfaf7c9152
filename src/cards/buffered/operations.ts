import type { Sql, Tx } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { openLedgerAccount } from '../../kernel/ledger/accounts';
import type { Decimal } from '../../kernel/money/money';
import { RecordLost } from '../../process/lost-record';
import type { CardOperation } from './record';
import { findOperation } from './store';

export { insertOperation, newestOperationOf, openOperationOf } from './store';

/** @throws Problem 404 */
export async function requireOperation(sql: Sql, reach: string | null, id: string): Promise<CardOperation> {
  const operation = await findOperation(sql, reach, id);
  if (!operation) throw notFound('operation');
  return operation;
}

/** Reads an operation for its workflow. @throws RecordLost */
export async function operationOfWorkflow(sql: Sql, id: string): Promise<CardOperation> {
  const operation = await findOperation(sql, null, id);
  if (!operation) throw new RecordLost('card_operation', id);
  return operation;
}

/** Opens the ledger account of a card's buffer. @returns its id; null when the buffer is zero */
export async function openBuffer(
  tx: Tx,
  { tenantId, currency }: { tenantId: string; currency: string },
  buffer: Decimal,
): Promise<string | null> {
  if (buffer.isZero()) return null;
  const id = newId('cardBuffer');
  await openLedgerAccount(tx, { id, kind: 'card_buffer', tenantId, currency });
  return id;
}
