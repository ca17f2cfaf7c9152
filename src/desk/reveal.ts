import type { Sql } from '../kernel/db/database';
import type { IdKind } from '../kernel/ids';
import type { Keyring } from '../kernel/security/keyring';
import { requireCardholder } from '../people/cardholders/operations';
import { approvedToReveal } from '../people/kyc/approvals';
import { requireUser, type User } from '../people/users/operations';
import type { Revealed } from '../process/desk/record';

type Revealer = (sql: Sql, keyring: Keyring, id: string) => Promise<Revealed>;

/** Unmasks records whose domain declares no desk yet. */
export const REVEALERS: Partial<Record<IdKind, Revealer>> = {
  cardholder: async (sql, _, id) => {
    const { userId, tenantId } = await requireCardholder(sql, null, id);
    const data = userId === null ? {} : await personOf(sql, await requireUser(sql, null, userId));
    return { action: 'cardholder.reveal', tenantId, data };
  },
  user: async (sql, _, id) => {
    const user = await requireUser(sql, null, id);
    return { action: 'user.reveal', tenantId: user.tenantId, data: await personOf(sql, user) };
  },
};

/** A person's present data, with the approved version if it differs. */
async function personOf(sql: Sql, user: User): Promise<object> {
  const kycApproved = await approvedToReveal(sql, user);
  return kycApproved ? { ...user.meta, kycApproved } : user.meta;
}
