import type { Tx } from '../../kernel/db/database';
import type { Services } from '../../services';
import type { Person, User } from './record';

/** Dependencies of the domain. */
export interface UserServices extends Services {
  /** Copies the user's blocked status to their cards, in the transaction that changes it. */
  blockCardsOf(tx: Tx, userId: string, blocked: boolean): Promise<void>;
  /** Requires a new KYC submission after a client's change of approved data, if the tenant's setting says so. */
  noteChangedFields(
    tx: Tx,
    before: Person,
    after: Person,
    by: { reach: string | null; idempotencyKey?: string | undefined },
  ): Promise<User>;
}
