import { listUserAccounts } from '../accounts/accounts/operations';
import type { Sql } from '../kernel/db/database';
import { openTransferOn } from './engine/open-transfers';

/**
 * Describes an open transfer of a user's accounts. Undefined where there is none. An open payout may be ordered again, so
 * its destination must stay readable.
 */
export async function openTransferOf(
  sql: Sql,
  { id, tenantId }: { id: string; tenantId: string },
): Promise<string | undefined> {
  for (const account of await listUserAccounts(sql, id)) {
    const open = await openTransferOn(sql, { accountId: account.id, tenantId });
    if (open) return `${open.kind} ${open.id} is ${open.status}`;
  }
  return undefined;
}
