import type { Tx } from '../../kernel/db/database';
import type { Services } from '../../services';
import type { User } from './record';

/** What the domain is given. */
export interface UserServices extends Services {
  /** Keeps what the user's cards know of their status, in the transaction that changes it. */
  blockCardsOf(tx: Tx, userId: string, blocked: boolean): Promise<void>;
  /** Asks for a new KYC submission after a client's change of approved data, by the tenant's setting. */
  noteChangedFields(
    tx: Tx,
    before: User,
    after: User,
    by: { reach: string | null; idempotencyKey?: string | undefined },
  ): Promise<User>;
}
