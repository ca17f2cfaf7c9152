import type { Sql } from '../kernel/db/database';
import type { Services } from '../services';

/** Which of a chain's accounts in the ledger holds what stands on an address. */
export type StationRole = 'station' | 'treasury';

/** What the domain is given. */
export interface ChainServices extends Services {
  /**
   * Every address that was ever a chain's station, or its treasury as far as money has come to it or from it, checksummed. The gas
   * station stands below the wallets.
   */
  addressesUsed(sql: Sql, chain: string): Promise<Record<StationRole, string[]>>;
}
