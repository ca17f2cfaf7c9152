import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bankFilesDesk } from '../../../src/parties/iso20022/desk';
import { type Cell, rowOf } from '../../../src/process/desk/list';
import { type Files, files, messageIdIn, ORDER } from './fixture';

const NOTIFICATION = readFileSync(join(__dirname, 'golden', 'camt.054.001.08.xml'), 'utf8');

let on: Files;
beforeAll(async () => {
  on = await files();
});
beforeEach(async () => {
  await on.reset();
  await on.payouts.order(ORDER);
  await on.drop('bank.xml', NOTIFICATION);
  await on.drop('Ada Lovelace.xml', 'no XML', { old: true });
  await on.exchange.turn();
});
afterAll(() => on.close());

async function shown(filters: Record<string, unknown> = {}, limit = 50): Promise<Record<string, Cell>[]> {
  const [list] = bankFilesDesk({ database: on.test.runtime }).lists ?? [];
  if (!list) throw new Error('there is no list');
  const rows: unknown[] = [];
  for (let more = true; more; ) {
    const after = rows.length === 0 ? undefined : list.place(rows.at(-1));
    const page = await list.rows({ filters, after, limit });
    rows.push(...page);
    more = page.length === limit;
  }
  return rows.map((row) => rowOf(list, row));
}

it('lists each file once, the newest first, page by page', async () => {
  const all = await shown();
  expect(all.map(({ direction, kind, result, orders }) => [direction, kind, result, orders])).toEqual([
    ['in', 'camt.054.001.08', 'booked', null],
    ['in', null, 'refused', null],
    ['out', 'pain.001.001.09', 'placed', 1],
  ]);
  expect(all.at(-1)?.['messageId']).toBe(messageIdIn((await on.placed('pain.001.001.09')).text));
  expect(await shown({}, 1)).toEqual(all);
});

it('is filtered by direction and result', async () => {
  expect((await shown({ direction: 'out' })).map(({ result }) => result)).toEqual(['placed']);
  expect((await shown({ result: 'refused' })).map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^not_xml/),
  ]);
});

it('counts repeats, and shows no personal data', async () => {
  await on.drop('again.xml', NOTIFICATION);
  await on.exchange.turn();
  const all = await shown();
  expect(all.map(({ repeats }) => repeats)).toEqual([1, 0, 0]);
  const text = JSON.stringify(all);
  for (const personal of ['Ada', 'Lovelace', 'Hopper', 'DE89370400440532013000'])
    expect(text).not.toContain(personal);
});

it('takes the permission for money', () => {
  const lists = bankFilesDesk({ database: on.test.runtime }).lists ?? [];
  expect(lists.map(({ name, permission }) => [name, permission])).toEqual([['bank-files', 'money']]);
});
