import type { Tx } from '../../kernel/db/database';
import type { Services } from '../../services';

/** What the domain is given. */
export interface UserServices extends Services {
  /** Keeps what the user's cards know of their status, in the transaction that changes it. */
  blockCardsOf(tx: Tx, userId: string, blocked: boolean): Promise<void>;
}
