import { raw } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { json, recordTable } from '../../../kernel/db/record-table';
import type { PartyWord, Transfer } from '../record';

/** Number of words that are kept of a transfer, the newest ones. The limit bounds what a transfer may cost. */
const KEPT = 64;

/** A word that was applied. */
export interface KeptWord {
  revision: number;
  /** The party's version, if it has versions. */
  version: number | null;
  word: PartyWord;
  at: Date;
}

const words = recordTable<KeptWord>('transfer_words', { word: json }, [
  ...['revision', raw('version::float8 as version'), 'word', 'at'],
]);

/** Stores the word that has just been applied, together with its transfer. */
export function keepWord(tx: Tx, { id: transferId, revision, word, wordAt }: Transfer): void {
  if (word === null || wordAt === null) return;
  const kept = words.row({ revision, version: word.version ?? null, word, at: wordAt });
  tx.defer(
    words()
      .insert({ transferId, slot: revision % KEPT, ...kept })
      .onConflict(['transfer_id', 'slot'])
      .merge(Object.keys(kept)),
  );
}

/** The newest words of a transfer, oldest first. */
export const wordsOf = async (sql: Sql, transferId: string, limit: number): Promise<KeptWord[]> =>
  (await words.all(sql, words().where({ transferId }).orderBy('revision', 'desc').limit(limit))).reverse();
