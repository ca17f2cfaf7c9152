import { usersOfAccounts } from '../accounts/accounts/operations';
import type { Sql } from '../kernel/db/database';
import type { Keyring } from '../kernel/security/keyring';
import type { SealingPurpose } from '../kernel/security/purposes';
import type { Sealer } from '../kernel/security/sealer';
import { type User, userSealer } from '../people/users/operations';

/** The owner of an account for sealing: its user; undefined for the tenant's own accounts and virtual IBANs. */
export type Owner = User | undefined;

/** The owner of the account of a transfer. */
export const ownerOf = async (sql: Sql, accountId: string | null): Promise<Owner> =>
  accountId === null ? undefined : (await usersOfAccounts(sql, [accountId])).get(accountId);

/**
 * Seals and opens for the owner of an account: under the data key of its user, so that an erasure of the user makes the
 * data unreadable. Data of a tenant's own account is under the installation's key of the purpose.
 * @throws Problem 409 `invalid_transition` once the user was erased
 */
export const ownerSealer = (keyring: Keyring, owner: Owner, purpose: SealingPurpose): Sealer =>
  owner ? userSealer({ keyring }, owner) : keyring.sealer(purpose);
