import type { Sql } from '../../kernel/db/database';
import type { Services } from '../../services';

/** An account whose history and balance can be read, whichever domain owns it. */
export interface ReadableAccount {
  id: string;
  tenantId: string;
  currency: string;
}

/** Dependencies of the domain. */
export interface AccountServices extends Services {
  /**
   * Finds an account of another domain, such as a virtual IBAN.
   * @param reach the tenant whose accounts may be found, or null for any tenant's
   */
  findAccountElsewhere(sql: Sql, reach: string | null, id: string): Promise<ReadableAccount | undefined>;
  /**
   * For those references that belong to a further movement of a record, the reference of the movement that they follow.
   */
  linksOf(sql: Sql, references: readonly string[]): Promise<Map<string, string>>;
  /** The statuses of all kinds of transfers, whose changes an account's history shows. */
  transferStatuses: readonly string[];
}
