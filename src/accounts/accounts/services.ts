import type { Sql } from '../../kernel/db/database';
import type { Services } from '../../services';

/** An account that is read like those of this domain. */
export interface ReadableAccount {
  id: string;
  currency: string;
}

/** What the domain is given. */
export interface AccountServices extends Services {
  /**
   * An account of another domain, which has a history and a balance as these have: a virtual IBAN.
   * @param reach the tenant whose may be found, or null for every tenant's
   */
  findAccountElsewhere(sql: Sql, reach: string | null, id: string): Promise<ReadableAccount | undefined>;
  /** Of those references the ones that tell a further movement of something, with the reference that this follows. */
  linksOf(sql: Sql, references: readonly string[]): Promise<Map<string, string>>;
}
