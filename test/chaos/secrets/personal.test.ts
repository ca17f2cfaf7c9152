/** @long @isolated starts the whole product. */
import { createDatabase, type Database } from '../../../src/kernel/db/database';
import { killAll } from '../../startup/process';
import { type Fleet, startFleet } from '../../support/product';
import { foundIn, type Secrets } from './forms';
import { type Life, livePersonally, MARKS, TEXTS } from './personal-life';
import { columnsOf, documentsOf, historiesOf, logsOf, temporalStoreOf, type WrittenColumn } from './written';

/**
 * Puts a person, the people whom the person pays, secrets, card numbers and one-time codes into all domains. Then searches
 * every column of Postgres, the logs and Temporal for each of them.
 */

const LIFE_MS = 300_000;

/** Columns that hold a value as it is, each with its reason. */
const PLAIN: Readonly<
  Record<string, { names: readonly (keyof typeof MARKS | keyof typeof TEXTS)[]; why: string }>
> = {
  'public.users.external_id': {
    names: ['externalId'],
    why: "the client's own id: found by equality, unique, and removed by an erasure",
  },
  'public.users.status_reason': {
    names: ['a reason of a status'],
    why: 'a text of the client for itself, removed by an erasure',
  },
  'public.kyc_reviews.reason': {
    names: ['a reason of a review'],
    why: 'a text for the client; operators are told to write no personal data',
  },
  'public.kyc_decisions.reason': {
    names: ['a reason of a review'],
    why: 'the record of a decision, which nobody may change; operators are told to write no personal data',
  },
  'public.events.data': {
    names: ['a reason of a review'],
    why: 'the contract puts the reason into the webhook; events are deleted after EVENTS_KEPT_DAYS',
  },
  'public.sandbox_orders.state': {
    names: ['a remitter', 'an IBAN of a remitter'],
    why: "the simulated bank's own record of a payer whom the tester names; there is no such table in live",
  },
};

let fleet: Fleet;
let database: Database;
let life: Life;
let marks: Secrets;
let columns: WrittenColumn[];
beforeAll(async () => {
  fleet = await startFleet({ LOG_LEVEL: 'trace' });
  database = createDatabase({ url: fleet.databaseUrl, poolSize: 1, name: 'test' });
  life = await livePersonally(fleet, database);
  marks = { ...MARKS, ...TEXTS, ...life.secrets };
  columns = await columnsOf(database);
}, LIFE_MS);
afterAll(async () => {
  await database?.close();
  await fleet?.close();
  killAll();
});

const codesIn = (text: string): string[] =>
  life.codes.filter((code) => new RegExp(`(?<![0-9A-Za-z.])${code}(?![0-9A-Za-z])`).test(text));

it('has put every mark in', () => {
  const sent = JSON.stringify([life.client.settled, life.admin.settled].flat().map(({ body }) => body));
  const byOtherWays = [
    'a document',
    'a destination of the exchange',
    'an IBAN of the exchange',
    ...Object.keys(life.secrets),
  ];
  const missing = Object.keys(marks).filter((name) => !byOtherWays.includes(name));
  expect(foundIn(sent, marks)).toEqual(expect.arrayContaining(missing));
  expect(Object.values(life.secrets).every((secret) => secret.length >= 12)).toBe(true);
  expect(life.codes).toEqual([expect.stringMatching(/^\d{6}$/), expect.stringMatching(/^\d{6}$/)]);
});

it('finds a mark in a column, as text and as bytes', async () => {
  await database.query('create table planted (told text, hidden bytea)');
  await database.query('insert into planted values ($1, $2)', [
    JSON.stringify({ iban: MARKS['an IBAN'] }),
    Buffer.from(MARKS.idNo),
  ]);
  const planted = (await columnsOf(database)).filter(({ table }) => table === 'public.planted');
  await database.query('drop table planted');
  expect(planted.map(({ column, text }) => [column, foundIn(text, marks)])).toEqual([
    ['hidden', ['idNo']],
    ['told', ['an IBAN']],
  ]);
});

it('has none of it in any column of Postgres, except where a reason is given', () => {
  expect(columns.length).toBeGreaterThan(500);
  expect(columns.find(({ table, column }) => `${table}.${column}` === 'public.users.id')?.text).toContain(
    life.userId,
  );
  const found = columns
    .map(({ table, column, text }) => ({
      place: `${table}.${column}`,
      marks: [...foundIn(text, marks), ...codesIn(text).map(() => 'a one-time code')],
    }))
    .filter((each) => each.marks.length > 0);
  const expected = Object.entries(PLAIN).map(([place, { names }]) => ({ place, marks: [...names].sort() }));
  const sorted = found.map((each) => ({ ...each, marks: [...new Set(each.marks)].sort() }));
  const byPlace = (one: { place: string }, other: { place: string }) => (one.place < other.place ? -1 : 1);
  expect(sorted.sort(byPlace)).toEqual(expected.sort(byPlace));
});

it.each([
  ['the logs', async () => logsOf(fleet), () => '/v2/accounts/{accountId}/payouts'],
  ['the histories', () => historiesOf(fleet), () => 'payout-lifecycle-'],
  ["Temporal's store", async () => temporalStoreOf(fleet), () => 'payout-lifecycle-'],
])('tells none of it in %s', async (_, written, known) => {
  const text = await written();
  expect(text).toContain(known());
  expect(foundIn(text, marks)).toEqual([]);
  expect(codesIn(text)).toEqual([]);
});

it('tells none of it in the documents store', () => {
  const documents = documentsOf(fleet);
  expect(documents.size).toBeGreaterThan(1);
  for (const [name, text] of documents) expect([name, foundIn(text, marks)]).toEqual([name, []]);
});

it('still repeats every answer byte for byte', async () => {
  let repeated = 0;
  for (const by of [life.client, life.admin])
    for (const each of by.settled) {
      const again = await by.again(each);
      // The client's former secret still opens until its overlap ends.
      expect([each.method, each.path, again.status, again.text]).toEqual([
        each.method,
        each.path,
        each.answer.status,
        each.answer.text,
      ]);
      repeated += 1;
    }
  expect(repeated).toBeGreaterThan(25);
});
