import { assertFundable } from '../accounts/accounts/internal-transfer';
import type { Tx } from '../kernel/db/database';
import { Problem } from '../kernel/errors';

/**
 * The code that says why an account may not pay or be paid: it was closed, or its user was blocked. Undefined while
 * it may.
 */
export async function whyNotFundable(tx: Tx, accountId: string): Promise<string | undefined> {
  try {
    await assertFundable(tx, { id: accountId });
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}
