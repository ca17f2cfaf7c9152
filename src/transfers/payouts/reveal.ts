import type { Sql } from '../../kernel/db/database';
import type { Keyring } from '../../kernel/security/keyring';
import type { Destination } from '../../parties/payouts/port';
import { ownerOf } from '../owner-sealer';
import { openDestination } from './destinations/sealing';
import { findSealedDestination, type PayoutTable } from './store';

/**
 * The unmasked destination of a payout, for the order to the party or for an approver. The caller of a person records who
 * has seen it, and why.
 * @throws Problem 409 `invalid_transition` once the owner of the account was erased
 */
export async function destinationOf(
  sql: Sql,
  keyring: Keyring,
  table: PayoutTable,
  { id, accountId }: { id: string; accountId: string | null },
): Promise<Destination> {
  const sealed = await findSealedDestination(sql, table, id);
  return openDestination(keyring, await ownerOf(sql, accountId), sealed, id);
}
