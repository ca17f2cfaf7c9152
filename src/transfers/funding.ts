import { assertFundable } from '../accounts/accounts/internal-transfer';
import type { Account } from '../accounts/accounts/operations';
import type { Tx } from '../kernel/db/database';
import { Problem } from '../kernel/errors';

/** Why an account may no longer pay or be paid, as a code: it was closed, or its user blocked. Nothing while it may. */
export async function whyNotFundable(tx: Tx, account: Account): Promise<string | undefined> {
  try {
    await assertFundable(tx, account);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}
