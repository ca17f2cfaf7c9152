import type { Sql } from '../../kernel/db/database';
import type { Keyring } from '../../kernel/security/keyring';
import type { Destination } from '../../parties/payouts/port';
import { openDestination } from './destinations/sealing';
import type { PayoutKind } from './paid-by-party';
import { findSealedDestination } from './store';

/** The unmasked beneficiary, for an approver. The caller records who has seen it, and why. */
export async function revealDestination(
  sql: Sql,
  keyring: Keyring,
  { table, sealedFor }: Pick<PayoutKind, 'table' | 'sealedFor'>,
  id: string,
): Promise<Destination> {
  return openDestination(keyring, sealedFor, await findSealedDestination(sql, table, id), id);
}
