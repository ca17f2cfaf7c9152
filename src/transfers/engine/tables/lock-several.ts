import { anyOf, raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { lockLedgerAccounts } from '../../../kernel/ledger/accounts';
import type { AnyKind } from '../kind';

type Query = ReturnType<typeof table>;
type Locked = { id: string; accountId: string | null };

export interface NotOrdered {
  tenantId: string;
  /** Statuses that have not ended. */
  statuses: readonly string[];
  /** A field of the terms, and its value. */
  term: string;
  value: string;
}

/**
 * Locks the transfers of a tenant that the party was not told of, and then their accounts. A step locks its row
 * before its account, so several transfers need all their rows before the first account.
 * @returns their ids, in the order of the locks
 */
export async function lockNotOrdered(
  tx: Tx,
  { name: kind }: Pick<AnyKind, 'name'>,
  { tenantId, statuses, term, value }: NotOrdered,
): Promise<string[]> {
  const rows = await lockRows(tx, (query) => notOrdered(query, kind, { tenantId, statuses, term, value }));
  const accounts = new Set(rows.flatMap(({ accountId }) => accountId ?? []));
  if (accounts.size > 0) await lockLedgerAccounts(tx, [...accounts]);
  return rows.map(({ id }) => id);
}

const notOrdered = (query: Query, kind: string, { tenantId, statuses, term, value }: NotOrdered): Query =>
  query
    .where({ kind, tenantId })
    .whereNull('orderedAt')
    .where(anyOf('status', statuses))
    .whereRaw('terms->>? = ?', [term, value]);

/** The number of transfers that {@link lockNotOrdered} would lock. */
export async function countNotOrdered(
  sql: Sql,
  { name: kind }: Pick<AnyKind, 'name'>,
  wanted: NotOrdered,
): Promise<number> {
  const query = notOrdered(table('transfers').select(raw('count(*)::int as count')), kind, wanted);
  const [row] = await sql.run<{ count: number }>(query);
  return row?.count ?? 0;
}

/** Locks the rows of transfers. The caller locks their accounts after all rows. */
export async function lockTransfers(tx: Tx, ids: readonly string[]): Promise<void> {
  await lockRows(tx, (query) => query.where(anyOf('id', ids)));
}

/** Locks rows until the end of the transaction, in the order of their ids, as every caller does. */
function lockRows(tx: Tx, narrowed: (query: Query) => Query): Promise<Locked[]> {
  return tx.run<Locked>(
    narrowed(table('transfers').select('id', 'accountId')).orderBy('id').forNoKeyUpdate(),
  );
}
