import { assertFundable } from '../accounts/accounts/internal-transfer';
import type { Account } from '../accounts/accounts/operations';
import type { Tx } from '../kernel/db/database';
import { Problem } from '../kernel/errors';

/**
 * The code that says why an account may not pay or be paid: it was closed, or its user was blocked. Undefined while
 * it may.
 */
export async function whyNotFundable(tx: Tx, account: Account): Promise<string | undefined> {
  try {
    await assertFundable(tx, account);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}
