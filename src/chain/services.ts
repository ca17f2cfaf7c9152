import type { Sql } from '../kernel/db/database';
import type { Services } from '../services';

/** What deposits have brought to an address of ours for good, by the books. */
export interface Deposited {
  address: string;
  /** The contract; null: the native coin. */
  token: string | null;
  /** Of the chain. */
  units: bigint;
}

/** What the domain is given. */
export interface ChainServices extends Services {
  /** Of final deposits, by address and token; those that brought nothing are not there. Deposits stand below this district. */
  depositedAt(sql: Sql, chain: string, addresses: readonly string[]): Promise<Deposited[]>;
}
