import type { Sql } from '../../kernel/db/database';
import type { Decimal } from '../../kernel/money/money';
import type { Services } from '../../services';
import type { AskingChains } from '../networks/nodes';

/** What is known of a chain's deposits, which stand below this district, beside the books. */
export type DepositsBeside = (
  sql: Sql,
  chain: string,
) => Promise<{
  /** How far its blocks are read for deposits; nothing where they never were. */
  readTo: { number: number; hash: string } | undefined;
  /** By symbol: what by that block has come to the pool's addresses and is not booked, less what is booked and has not. */
  pool: ReadonlyMap<string, Decimal>;
}>;

/** What it takes to compare a chain with our books. */
export interface ComparingServices extends AskingChains, Pick<Services, 'database' | 'now'> {
  depositsBeside: DepositsBeside;
}
