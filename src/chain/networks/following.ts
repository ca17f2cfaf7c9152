import type { Sql, Tx } from '../../kernel/db/database';
import type { Block } from '../../parties/chain/port';

/** The watcher's operations that networks need. They are passed in because the watcher imports this district. */
export interface Following {
  /** Starts reading a chain at a block. A chain that is followed already continues where it is. */
  begin(tx: Tx, chain: string, head: Block, at: Date): Promise<void>;
  /** Whether blocks of the chain were read, or wallets derived for it. */
  isUsed(sql: Sql, chain: string): Promise<boolean>;
  /** Describes, for a person, our money in an asset and the transfers under way. Empty when there are none. */
  heldBy(sql: Sql, chain: string, symbol: string): Promise<string[]>;
}
