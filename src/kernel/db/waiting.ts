import type { Knex } from 'knex';
import { invalid } from '../errors';
import { raw } from './build';
import type { Sql } from './database';

/** Filters, sorts and counts lists of records that wait for a person, for any table. */

export interface WaitingFilter {
  tenantId?: string | undefined;
  /** The list's own distinction: a code, a method or a status. */
  kind?: string | undefined;
  currency?: string | undefined;
  /** Only records that have waited since before this moment. */
  before?: Date | undefined;
  /** The last row of the previous page. */
  after?: WaitingPlace | undefined;
  limit: number;
}

/** Sort key of a waiting record: the moment since which it waits, then its id. */
export interface WaitingPlace {
  since: Date;
  id: string;
}

/** SQL of a list's columns, as its query names them. A filter whose column is absent is refused. */
export interface WaitingColumns {
  id: string;
  /** In milliseconds, the resolution of {@link WaitingPlace}. */
  since: string;
  tenantId?: string;
  kind?: string;
  currency?: string;
}

export interface WaitingCount {
  count: number;
  /** Age of the oldest by the database's clock, 0 when the list is empty. */
  oldestSeconds: number;
}

const FILTERS = ['tenantId', 'kind', 'currency'] as const;

/**
 * Filters the list and sorts it by waiting time, longest first, starting after the previous page.
 * @throws Problem 400 for a filter that the list does not have
 */
export function waitingPage(query: Knex.QueryBuilder, columns: WaitingColumns, filter: WaitingFilter): void {
  const { id, since } = columns;
  for (const name of FILTERS) {
    const value = filter[name];
    if (value === undefined) continue;
    const column = columns[name];
    if (column === undefined) throw invalid(`${name} is not a filter of this list.`, name);
    void query.whereRaw(`${column} = ?`, [value]);
  }
  if (filter.before) void query.whereRaw(`${since} < ?`, [filter.before]);
  if (filter.after)
    void query.where(raw(`(${since}, ${id}) > (?, ?)`, [filter.after.since, filter.after.id]));
  void query.orderByRaw(`${since}, ${id}`).limit(filter.limit);
}

/** Counts the query's rows and the waiting time of the oldest. @param since as in {@link WaitingColumns} */
export async function countWaiting(
  sql: Sql,
  query: Knex.QueryBuilder,
  { since }: Pick<WaitingColumns, 'since'>,
): Promise<WaitingCount> {
  const [row] = await sql.run<{ count: number; seconds: number | null }>(
    query.select(
      raw('count(*)::int as count'),
      raw(`extract(epoch from product_now() - min(${since}))::float8 as seconds`),
    ),
  );
  return { count: row?.count ?? 0, oldestSeconds: Math.max(0, row?.seconds ?? 0) };
}
