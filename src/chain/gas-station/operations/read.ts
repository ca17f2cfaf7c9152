import { type Locking } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { notFound } from '../../../kernel/errors';
import { isId } from '../../../kernel/ids';
import { findWalletById } from '../../wallets/operations';
import type { Wallet } from '../../wallets/record';
import { operationSigned, shownAttemptsOf } from './nonces-store';
import type { GasOperation, GasOperationType } from './record';
import { findOperation, operationOfHash } from './store';

export { spentToday } from './budget';
export {
  countOpen,
  countOpenOf,
  failedSweeps,
  findOperation,
  listOperations,
  openOperationsOf,
  operationOfHash,
} from './store';

const ID_KINDS = { sweep: 'sweepOperation', topup: 'topupOperation' } as const;

/**
 * @param type null: either
 * @throws Problem 404
 */
export async function requireOperation(
  sql: Sql,
  id: string,
  type: GasOperationType | null,
  locking: Locking = {},
): Promise<GasOperation> {
  const types = type === null ? (['sweep', 'topup'] as const) : [type];
  const isOne = types.some((each) => isId(ID_KINDS[each], id));
  const found = isOne ? await findOperation(sql, id, locking) : undefined;
  if (!found) throw notFound('operation');
  return found;
}

/** The operation that a transaction was executed or signed for. */
export const operationWith = async (sql: Sql, chain: string, hash: string): Promise<string | undefined> =>
  (await operationOfHash(sql, chain, hash)) ?? (await operationSigned(sql, chain, hash));

/**
 * @param field request field that names the wallet
 * @throws Problem 404
 */
export async function requireWallet(sql: Sql, id: string, field?: string): Promise<Wallet> {
  const found = isId('wallet', id) ? await findWalletById(sql, id) : undefined;
  if (!found) throw notFound('wallet', field);
  return found;
}

/** The transactions of an operation as people see them: without signed bytes, big integers as text. */
export const transactionsOf = async (sql: Sql, id: string) =>
  (await shownAttemptsOf(sql, id)).map((each) => ({
    address: each.address,
    nonce: each.nonce,
    attempt: each.attempt,
    hash: each.hash,
    cancels: each.cancels,
    maxFeePerGas: each.maxFeePerGas.toString(),
    gas: each.gas.toString(),
    createdAt: each.createdAt,
    broadcastAt: each.broadcastAt,
    settledAt: each.settledAt,
  }));
