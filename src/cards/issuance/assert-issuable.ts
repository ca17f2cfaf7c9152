import { type Account, assertAccountOpen } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { requireApprovedCardholder } from '../../people/cardholders/operations';
import { requireActiveUser } from '../../people/users/operations';
import { type Bin, requireIssuableBin } from '../programmes/operations';
import { requireCapacity } from './capacity';

/**
 * Refuses a card that cannot be issued now, for quotes and issuances alike. Locks the user and the cardholder until the
 * end of the transaction, so that status and number of cards stay as judged.
 * @throws Problem 409 `user_blocked`, `cardholder_not_approved`, `bin_closed`, `account_closed`, `limit_exceeded`, in
 * this order
 */
export async function assertIssuable(
  tx: Tx,
  parts: { user: { id: string; tenantId: string }; account: Account; cardholder: { id: string }; bin: Bin },
): Promise<void> {
  const { user, account, cardholder, bin } = parts;
  await requireActiveUser(tx, user.tenantId, user.id, 'userId');
  await requireApprovedCardholder(tx, user.tenantId, cardholder.id, 'cardholderId');
  await requireIssuableBin(tx, user.tenantId, user.id, bin.bin);
  await assertAccountOpen(tx, account, 'accountId');
  await requireCapacity(tx, bin, cardholder.id);
}
