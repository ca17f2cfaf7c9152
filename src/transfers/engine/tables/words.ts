import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import type { PartyWord, Transfer } from '../record';

/** Number of words that are kept of a transfer, the newest ones. The limit bounds what a transfer may cost. */
const KEPT = 64;

const words = () => table('transfer_words');

/** A word that was applied. */
export interface KeptWord {
  revision: number;
  /** The party's version, if it has versions. */
  version: number | null;
  word: PartyWord;
  at: Date;
}

/** Stores the word that has just been applied, together with its transfer. */
export function keepWord(tx: Tx, { id: transferId, revision, word, wordAt }: Transfer): void {
  if (word === null || wordAt === null) return;
  const kept = { revision, version: word.version ?? null, word: JSON.stringify(word), at: wordAt };
  tx.defer(
    words()
      .insert({ transferId, slot: revision % KEPT, ...kept })
      .onConflict(['transfer_id', 'slot'])
      .merge(Object.keys(kept)),
  );
}

/** The newest words of a transfer, oldest first. */
export async function wordsOf(sql: Sql, transferId: string, limit: number): Promise<KeptWord[]> {
  const newest = await sql.run<KeptWord>(
    words()
      .select('revision', raw('version::float8 as version'), 'word', 'at')
      .where({ transferId })
      .orderBy('revision', 'desc')
      .limit(limit),
  );
  return newest.reverse();
}
