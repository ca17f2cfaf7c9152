import type { Database } from '../../src/kernel/db/database';
import type { Statement } from './spy';

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Plan[];
}

interface Spied {
  database: Database;
  /** Statements that the spied database has collected. */
  statements: Statement[];
}

/** Explains every statement that `work` sends, and fails when a large table is read completely. */
export async function expectIndexes(
  { large, ...spied }: Spied & { large: readonly string[] },
  work: () => Promise<unknown>,
): Promise<void> {
  for (const { text, values } of await statementsOf(spied, work)) {
    const reads = sequentialScans(await planOf(spied.database, text, values), large);
    expect({ text, reads }).toEqual({ text, reads: [] });
  }
}

/** Blocks that a page of a list reads at most. A page of twenty rows needs a dozen or two of each index and table. */
const MAX_BLOCKS = 500;

/**
 * Carries out every statement that `work` sends once more, and fails when one reads many blocks of tables and indexes. A
 * scan of an index that begins too early shows in blocks alone.
 */
export async function expectFewBlocks(spied: Spied, work: () => Promise<unknown>): Promise<void> {
  for (const { text, values } of await statementsOf(spied, work)) {
    const plan = await planOf(spied.database, text, values, 'analyze, buffers, ');
    const blocks = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
    expect({ text, blocks: Math.max(blocks, MAX_BLOCKS) }).toEqual({ text, blocks: MAX_BLOCKS });
  }
}

async function statementsOf({ statements }: Spied, work: () => Promise<unknown>): Promise<Statement[]> {
  statements.length = 0;
  await work();
  const explained = [...new Map(statements.map((each) => [each.text, each])).values()].filter(isExplained);
  expect(explained.length).toBeGreaterThan(0);
  return explained;
}

const isExplained = ({ text }: Statement) =>
  /^\s*(select|with|update|delete|insert)/i.test(text) &&
  !/ledger_write|advisory|json_populate|recordset/.test(text);

/** Chooses by cost alone, because reading an index completely would be no better than reading the table. */
async function planOf(database: Database, text: string, values: unknown[], how = ''): Promise<Plan> {
  const [row] = await database.transaction(async (tx) => {
    await tx.query('set local enable_seqscan = on');
    return tx.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (${how}format json) ${text}`, values);
  });
  return (row as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan;
}

function sequentialScans(plan: Plan, large: readonly string[]): string[] {
  const own =
    plan['Node Type'] === 'Seq Scan' && large.includes(plan['Relation Name'] ?? '')
      ? [plan['Relation Name'] as string]
      : [];
  return [...own, ...(plan.Plans ?? []).flatMap((inner) => sequentialScans(inner, large))];
}
