import type { Sql } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import type { CardOperation } from './record';
import { findOperation } from './store';

export { openOperationOf } from './store';

/** @throws Problem 404 */
export async function requireOperation(sql: Sql, reach: string | null, id: string): Promise<CardOperation> {
  const operation = await findOperation(sql, reach, id);
  if (!operation) throw notFound('operation');
  return operation;
}
