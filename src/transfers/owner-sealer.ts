import type { Sql } from '../kernel/db/database';
import type { Keyring } from '../kernel/security/keyring';
import type { SealingPurpose } from '../kernel/security/purposes';
import type { Sealer } from '../kernel/security/sealer';
import { requireUser, type User, userSealer } from '../people/users/operations';

/** The owner of an account for sealing: its user; undefined for the tenant's own accounts and virtual IBANs. */
export type Owner = User | undefined;

/** @param userId whose data key seals a value; null: the installation's key */
export const ownerOf = async (sql: Sql, userId: string | null): Promise<Owner> =>
  userId === null ? undefined : requireUser(sql, null, userId);

/**
 * Seals and opens for the owner of an account: under the data key of its user, so that an erasure of the user makes the
 * data unreadable. Data of a tenant's own account is under the installation's key of the purpose.
 * @throws Problem 409 `invalid_transition` once the user was erased
 */
export const ownerSealer = (keyring: Keyring, owner: Owner, purpose: SealingPurpose): Sealer =>
  owner ? userSealer({ keyring }, owner) : keyring.sealer(purpose);
