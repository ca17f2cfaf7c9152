import type { Sql } from '../../kernel/db/database';
import type { AccountServices, ReadableAccount } from '../accounts/services';

/** The payer of a bank transfer, as the bank tells. */
export interface Remitter {
  name: string;
  iban?: string | undefined;
}

/** Dependencies of the domain. */
export interface StatementServices extends AccountServices {
  /** Finds a card, whose statement lists its events. @param reach the tenant whose cards may be found, or null */
  findCardAccount(sql: Sql, reach: string | null, id: string): Promise<ReadableAccount | undefined>;
  /** The remitters of credits to virtual IBANs, by the references of their account transactions. */
  remittersOf(references: readonly string[]): Promise<Map<string, Remitter>>;
}
