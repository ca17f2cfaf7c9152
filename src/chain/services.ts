import type { Sql } from '../kernel/db/database';
import type { Services } from '../services';

/** What stands on an address of ours by the books. */
export interface Held {
  address: string;
  /** The contract; null: the native coin. */
  token: string | null;
  /** Of the chain; below zero where what was swept has been taken back. */
  units: bigint;
}

/** Which of a chain's accounts in the ledger holds what stands on an address. */
export type StationRole = 'station' | 'treasury';

/** What the domain is given. */
export interface ChainServices extends Services {
  /**
   * Final deposits less what was swept, by address and token; addresses that nothing came to are not there. Deposits stand below
   * this district.
   * @param until what had come and was swept by then, of what counts now; absent: all of it
   */
  heldByBooks(sql: Sql, chain: string, addresses: readonly string[], until?: Date): Promise<Held[]>;
  /**
   * Every address that was ever a chain's station, or its treasury as far as money has come to it or from it, checksummed. The gas
   * station stands below the wallets.
   */
  addressesUsed(sql: Sql, chain: string): Promise<Record<StationRole, string[]>>;
  /** The deposit that people have told of a transaction, and have not taken back: its id. */
  toldDepositOf(
    sql: Sql,
    transaction: { chain: string; txHash: string },
    at: Date,
  ): Promise<string | undefined>;
}
