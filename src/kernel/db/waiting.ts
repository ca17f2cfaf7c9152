import type { Knex } from 'knex';
import { invalid } from '../errors';
import { raw } from './build';
import type { Sql } from './database';

/** Lists of what waits for a person, of any table: how they are filtered, ordered and counted. */

/** What of a list is asked for. */
export interface WaitingFilter {
  tenantId?: string | undefined;
  /** What tells one from another in this list: a code, a method, a status. */
  kind?: string | undefined;
  currency?: string | undefined;
  /** Has waited since before then. */
  before?: Date | undefined;
  /** Where the page before ended. */
  after?: WaitingPlace | undefined;
  limit: number;
}

/** Where something stands in its list: since when it waits, and what tells it from others of that moment. */
export interface WaitingPlace {
  since: Date;
  id: string;
}

/** How a list's columns are called: SQL in the words of its query. A filter whose column is absent is refused. */
export interface WaitingColumns {
  id: string;
  /** In milliseconds, as places tell it. */
  since: string;
  tenantId?: string;
  kind?: string;
  currency?: string;
}

export interface WaitingCount {
  count: number;
  /** The age of the oldest by the database's clock; 0 when none waits. */
  oldestSeconds: number;
}

const FILTERS = ['tenantId', 'kind', 'currency'] as const;

/**
 * The longest waiting first, after the place where the page before ended.
 * @throws Problem 400 for a filter that the list has not
 */
export function waitingPage(query: Knex.QueryBuilder, columns: WaitingColumns, filter: WaitingFilter): void {
  const { id, since } = columns;
  for (const name of FILTERS) {
    const value = filter[name];
    if (value === undefined) continue;
    const column = columns[name];
    if (column === undefined) throw invalid(`This list is not told apart by ${name}.`, name);
    void query.whereRaw(`${column} = ?`, [value]);
  }
  if (filter.before) void query.whereRaw(`${since} < ?`, [filter.before]);
  if (filter.after)
    void query.where(raw(`(${since}, ${id}) > (?, ?)`, [filter.after.since, filter.after.id]));
  void query.orderByRaw(`${since}, ${id}`).limit(filter.limit);
}

/** How many rows the query has, and how long the oldest has waited. @param since as in {@link WaitingColumns} */
export async function countWaiting(
  sql: Sql,
  query: Knex.QueryBuilder,
  { since }: Pick<WaitingColumns, 'since'>,
): Promise<WaitingCount> {
  const [row] = await sql.run<{ count: number; seconds: number | null }>(
    query.select(
      raw('count(*)::int as count'),
      raw(`extract(epoch from clock_timestamp() - min(${since}))::float8 as seconds`),
    ),
  );
  return { count: row?.count ?? 0, oldestSeconds: Math.max(0, row?.seconds ?? 0) };
}
