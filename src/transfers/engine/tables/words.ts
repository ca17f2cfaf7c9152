import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import type { PartyWord, Transfer } from '../record';

/** So many words of a transfer are kept, the newest; which makes what one may cost a bounded thing. */
const KEPT = 64;

const words = () => table('transfer_words');

/** A word as it was applied. */
export interface KeptWord {
  revision: number;
  /** The party's, where it counts any. */
  version: number | null;
  word: PartyWord;
  at: Date;
}

/** Keeps the word that has just been applied, in the write of its transfer. */
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

/** The newest of a transfer, in the order in which they came. */
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
