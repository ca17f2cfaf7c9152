import type { Sql } from '../../../kernel/db/database';
import type { ChainTransfer } from '../../../parties/chain/port';
import { findOperation, operationWith } from '../operations/read';

/** Whether it is what the operation of its transaction moves: a person may have named any transaction, and nobody has looked at it yet. */
export async function isOfOperation(
  sql: Sql,
  chain: string,
  { txHash, from, to }: Pick<ChainTransfer, 'txHash' | 'from' | 'to'>,
): Promise<boolean> {
  const id = await operationWith(sql, chain, txHash);
  const operation = id === undefined ? undefined : await findOperation(sql, id);
  return operation?.fromAddress === from && operation.toAddress === to;
}
