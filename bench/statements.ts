import type { Database } from '../src/kernel/db/database';

/** Settings of a server whose statements are counted. */
export const COUNTED_STATEMENTS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
};

type Queries = Pick<Database, 'query'>;

/** Counts from now on. The caller is a superuser. */
export async function countStatements({ query }: Queries): Promise<void> {
  await query('create extension if not exists pg_stat_statements');
  await query('select pg_stat_statements_reset()');
}

interface Counted {
  statement: string;
  calls: number;
  ms: number;
  blocks: number;
}

/**
 * Lists the statements that cost most since {@link countStatements}.
 * @param of number of items, for instance blocks of a chain, to which the figures refer
 */
export async function dearestStatements({ query }: Queries, of: number, limit: number) {
  const rows = await query<Counted>(
    `select regexp_replace(left(query, 2000), '\\s+', ' ', 'g') as statement, calls::int,
            total_exec_time + total_plan_time as ms, (shared_blks_hit + shared_blks_read)::float as blocks
       from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
      order by ms desc limit $1`,
    [limit],
  );
  return rows.map(({ statement, calls, ms, blocks }) => ({
    statement: statement.slice(0, 110),
    calls: (calls / of).toFixed(1),
    ms: (ms / of).toFixed(2),
    // Blocks that a statement touches do not depend on the speed of the machine.
    'blocks touched': (blocks / of).toFixed(0),
  }));
}

/** Statements of all kinds, and the blocks that they touch, since {@link countStatements}. */
export async function sumOfStatements({ query }: Queries): Promise<{ calls: number; blocks: number }> {
  const [row] = await query<{ calls: number; blocks: number }>(
    `select coalesce(sum(calls), 0)::int as calls, coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float as blocks
       from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())`,
  );
  return row ?? { calls: 0, blocks: 0 };
}
