import { table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import type { ChangesPage } from '../../protocol/changes';

export type ServedParty = 'payouts' | 'bank';

const changes = () => table('bank_changes');

/** Rows of a page. */
const PAGE = 200;

/** Lists a change of a record, in the transaction of the change. */
export async function noteChange(tx: Tx, party: ServedParty, ref: string, version: number): Promise<void> {
  await tx.run(changes().insert({ party, ref, version }));
}

/** A page of the list. Ids are given before their transactions commit, so a reader repeats the last minutes. */
export async function changesAfter(sql: Sql, party: ServedParty, after: string | null): Promise<ChangesPage> {
  const from = after !== null && /^\d{1,18}$/.test(after) ? after : '0';
  const rows = await sql.run<{ id: string; ref: string; version: number }>(
    changes()
      .select('id', 'ref', 'version')
      .where({ party })
      .where('id', '>', from)
      .orderBy('id')
      .limit(PAGE + 1),
  );
  const page = rows.slice(0, PAGE);
  return {
    changes: page.map(({ id, ref, version }) => ({ id: String(id), ref, version })),
    unreadable: [],
    next: page.length === 0 ? after : String(page.at(-1)?.id),
    more: rows.length > PAGE,
  };
}
