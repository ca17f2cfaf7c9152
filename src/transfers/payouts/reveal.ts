import type { Sql } from '../../kernel/db/database';
import type { Keyring } from '../../kernel/security/keyring';
import type { Destination } from '../../parties/payouts/port';
import { ownerOf } from '../owner-sealer';
import { openDestination } from './destinations/sealing';
import { findDetails, type PayoutTable } from './store';

/**
 * The unmasked destination of a payout, for the order to the party or for an approver. The caller of a person records who
 * has seen it, and why.
 * @throws Problem 409 `invalid_transition` once the owner of the account was erased
 */
export async function destinationOf(
  sql: Sql,
  keyring: Keyring,
  table: PayoutTable,
  id: string,
): Promise<Destination> {
  const details = (await findDetails(sql, table, [id])).get(id);
  if (!details) throw new Error(`the payout ${id} has no destination`);
  const { userId, destination } = details;
  return openDestination(keyring, await ownerOf(sql, userId), destination, id);
}
