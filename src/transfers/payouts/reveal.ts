import type { Sql } from '../../kernel/db/database';
import type { Keyring } from '../../kernel/security/keyring';
import type { Destination } from '../../parties/payouts/port';
import { openDestination } from './destinations/sealing';
import type { PayoutKind } from './paid-by-party';
import { findSealedDestination } from './store';

/** The beneficiary as it will be paid, for whoever approves it: the caller writes down who has seen it, and why. */
export async function revealDestination(
  sql: Sql,
  keyring: Keyring,
  { table, sealedFor }: Pick<PayoutKind, 'table' | 'sealedFor'>,
  id: string,
): Promise<Destination> {
  return openDestination(keyring, sealedFor, await findSealedDestination(sql, table, id), id);
}
