/** @long */
import { search } from '../../src/desk/search';
import { deskCatalogue } from '../../src/desk-catalogue';
import type { Database } from '../../src/kernel/db/database';
import { type Statement, spiedDatabase } from '../growth/spy';
import { type Client, type TestApi, testApi } from '../support/api';
import { type TestDesk, testDesk } from '../support/desk';
import { fundedAccount } from '../transfers/payouts/support';
import { entered, type Visitor } from './console/support';
import { operators, type Person, pendingPayout } from './support';

/** Lists, pages and searches over 100,000 transfers. The rows that a page reads are counted, not its time. */

const MANY = 100_000;
/** Rows that the statements of one page may read: some pages of fifty rows with what belongs to them. */
const MAX_READ = 1_000;

let api: TestApi;
let desk: TestDesk;
let client: Client;
let page: Visitor;
let statements: Statement[];
let payout: string;
beforeAll(async () => {
  statements = [];
  api = await testApi({}, (database: Database) => spiedDatabase(database, statements));
  desk = await testDesk(api.services);
  const [ida] = (await operators(api, 'ida')) as [Person];
  page = await entered(desk.url, ida);
  client = await api.client();
  payout = await pendingPayout(api, client, await fundedAccount(api, client, '900000.00'));
  await api.database.query(
    `insert into transfers
     select made.*
       from transfers t cross join generate_series(1, ${MANY}) n
      cross join lateral jsonb_populate_record(t, jsonb_build_object(
              'id', 'pay_' || lpad(n::text, 26, '0'),
              'status', case n % 4 when 0 then 'pending_approval' when 1 then 'processing' else 'completed' end,
              'party_ref', 'ref-' || n,
              'idempotency_key', 'key-of-' || n,
              'due_by', null,
              'look_at', null,
              'created_at', now() - n * interval '1 second',
              'updated_at', now() - n * interval '1 second')) made
      where t.id = $1`,
    [payout],
  );
  await api.database.query('analyze transfers');
}, 120_000);
afterAll(async () => {
  await desk.close();
  await api.close();
});

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

/** Number of table rows that a statement reads, with those that its filters leave out. */
function rowsRead(plan: Plan): number {
  const { 'Actual Rows': rows, 'Actual Loops': loops, Plans: inner = [] } = plan;
  const leftOut = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const own = plan['Relation Name'] === undefined ? 0 : (rows + leftOut) * loops;
  return inner.reduce((sum, each) => sum + rowsRead(each), own);
}

/** The rows that the statements of some work read. */
async function readBy(work: () => Promise<unknown>): Promise<number> {
  statements.length = 0;
  await work();
  const selects = statements.filter(({ text }) => /^\s*select/i.test(text) && /\btransfers\b/.test(text));
  expect(selects.length).toBeGreaterThan(0);
  let sum = 0;
  for (const { text, values } of selects) {
    const [row] = await api.database.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, format json) ${text}`,
      values,
    );
    sum += rowsRead((row as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan);
  }
  return sum;
}

const LISTS = ['payouts', 'payouts-open'];

describe.each(LISTS)('the list %s of 100,000 transfers', (name) => {
  const shown = async (path: string) => {
    const { status, text } = await page.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect([...text.matchAll(/<td data-label="Id">/g)]).toHaveLength(50);
    return text;
  };

  it('reads few rows for the first page, a filter, and the next page', async () => {
    let text = '';
    const first = await readBy(async () => (text = await shown(`/lists/${name}`)));
    const filtered = await readBy(() => shown(`/lists/${name}?olderThan=1h`));
    const [, next = ''] = /<a class="button" rel="next" href="([^"]*)"/.exec(text) ?? [];
    const path = next.replaceAll('&amp;', '&');
    expect(path).toContain('cursor=');
    const second = await readBy(() => shown(path));
    const read = { first, filtered, second };
    expect(Object.entries(read).filter(([, rows]) => rows > MAX_READ)).toEqual([]);
  });
});

it('a search reads few rows', async () => {
  const may = () => true;
  for (const text of ['ref-777', 'key-of-777', 'pay_000000000000000000000777'])
    expect(
      await readBy(async () => {
        const found = await search(deskCatalogue(api.services), api.services, { text, may });
        expect(found.flatMap(({ rows }) => rows).length).toBeGreaterThan(0);
      }),
    ).toBeLessThanOrEqual(MAX_READ);
});

it('the series of a day is bounded by the day, not by the table', async () => {
  const figure = deskCatalogue(api.services).figures.find((each) => each.name === 'payouts');
  const [from, to] = [new Date(Date.now() - 86_400_000), new Date()];
  const read = await readBy(async () => figure?.type === 'series' && figure.points(from, to));
  expect(read).toBeLessThanOrEqual(MAX_READ); // the filled ids have no time of today
});
