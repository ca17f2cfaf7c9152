import type { Sql } from '../../../../kernel/db/database';
import { isMined, reportedTransaction } from '../../../../parties/chain/agreement';
import type { ChainNode } from '../../../../parties/chain/port';
import { operationWith } from '../read';
import type { GasOperation } from '../record';
import { isSame, judge } from '../rules';

/** Most blocks of one read. */
const RANGE = 500;

/** Most blocks to search. Logs of a token come for many blocks at once; the native coin takes a call for each block. */
const MAX_BLOCKS = { token: 10_000, native: 500 };

/**
 * Searches the blocks since an operation's export for its transfer.
 * @returns hash of a transaction that matches the operation and belongs to no other
 * @throws ChainAway
 */
export async function executedSinceExport(
  sql: Sql,
  node: ChainNode,
  operation: GasOperation,
): Promise<string | undefined> {
  const { exportedBlock: first, token, toAddress } = operation;
  if (first === null) return undefined;
  const isNative = token === null;
  const wanted = { native: isNative, listed: token === null ? [] : [token] };
  const head = (await node.head()).number;
  const last = Math.min(head, first + MAX_BLOCKS[isNative ? 'native' : 'token'] - 1);
  for (let from = first; from <= last; from += RANGE) {
    const range = { from, to: Math.min(last, from + RANGE - 1) };
    const { transfers } = await node.transfersTo(range, [toAddress], wanted);
    for (const { txHash, from: payer } of transfers)
      if (isSame(payer, operation.fromAddress) && (await isIts(sql, node, operation, txHash))) return txHash;
  }
  return undefined;
}

async function isIts(sql: Sql, node: ChainNode, operation: GasOperation, hash: string): Promise<boolean> {
  const { word } = await reportedTransaction(node, hash);
  if (!isMined(word) || judge(operation, word).is !== 'right') return false;
  const owner = await operationWith(sql, operation.chain, hash);
  return owner === undefined || owner === operation.id;
}
