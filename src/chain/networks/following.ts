import type { Sql, Tx } from '../../kernel/db/database';
import type { Block } from '../../parties/chain/port';

/** Who follows the blocks of networks, as it is handed to them: it stands below. */
export interface Following {
  /** Reads a chain from that block on, which counts as read; one that is followed already goes on where it is. */
  begin(tx: Tx, chain: string, head: Block, at: Date): Promise<void>;
  /** Whether blocks of it were read, or wallets derived for it. */
  isUsed(sql: Sql, chain: string): Promise<boolean>;
  /** What of ours is of an asset there, for a person: money on wallets, and what is under way. Empty: nothing is. */
  heldBy(sql: Sql, chain: string, symbol: string): Promise<string[]>;
}
