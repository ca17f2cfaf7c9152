import type { Database } from '../../src/kernel/db/database';
import type { Statement } from './spy';

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/**
 * Explains every statement that `work` sends, and fails when a large table is read completely.
 * @param on.statements statements that the spied database has collected
 */
export async function expectIndexes(
  { database, statements, large }: { database: Database; statements: Statement[]; large: readonly string[] },
  work: () => Promise<unknown>,
): Promise<void> {
  statements.length = 0;
  await work();
  const explained = [...new Map(statements.map((each) => [each.text, each])).values()].filter(isExplained);
  expect(explained.length).toBeGreaterThan(0);
  for (const { text, values } of explained) {
    const reads = sequentialScans(await planOf(database, text, values), large);
    expect({ text, reads }).toEqual({ text, reads: [] });
  }
}

const isExplained = ({ text }: Statement) =>
  /^\s*(select|with|update|delete|insert)/i.test(text) &&
  !/ledger_write|advisory|json_populate|recordset/.test(text);

/** Chooses by cost alone, because reading an index completely would be no better than reading the table. */
async function planOf(database: Database, text: string, values: unknown[]): Promise<Plan> {
  const [row] = await database.transaction(async (tx) => {
    await tx.query('set local enable_seqscan = on');
    return tx.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (format json) ${text}`, values);
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
