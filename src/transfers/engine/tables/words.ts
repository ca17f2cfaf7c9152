import { raw } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { json, recordTable } from '../../../kernel/db/record-table';
import { insertOfRows } from '../../../kernel/db/writes';
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

const COLUMNS = ['transferId', 'slot', 'revision', 'version', 'word', 'at'];
const REPLACED = `on conflict (transfer_id, slot) do update
  set revision = excluded.revision, version = excluded.version, word = excluded.word, at = excluded.at`;

/** Stores the words that have just been applied, together with their transfers. */
export function keepWords(tx: Tx, transfers: readonly Transfer[]): void {
  const rows = transfers.flatMap(({ id: transferId, revision, word, wordAt: at }) =>
    word === null || at === null
      ? []
      : [{ transferId, slot: revision % KEPT, revision, version: word.version ?? null, word, at }],
  );
  if (rows.length > 0) tx.defer(insertOfRows('transfer_words', COLUMNS, rows, REPLACED));
}

/** The newest words of a transfer, oldest first. */
export const wordsOf = async (sql: Sql, transferId: string, limit: number): Promise<KeptWord[]> =>
  (await words.all(sql, words().where({ transferId }).orderBy('revision', 'desc').limit(limit))).reverse();
