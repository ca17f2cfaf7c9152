import fc from 'fast-check';
import { compositeArray, type Write, writeTogether } from '../../../src/kernel/db/writes';
import { Decimal } from '../../../src/kernel/money/money';
import { type TestDatabase, testDatabase } from '../../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
  await test.database.query('create type pair as (number numeric, words text, at timestamptz, flag boolean)');
  await test.database.query('create table told (id text primary key, words text)');
  await test.database.query(`create function tell(given text) returns void language sql as
    $$ insert into told values (given, 'called') $$`);
});
afterAll(() => test.drop());

describe('an array of rows', () => {
  // NUL is left out, because Postgres cannot store it and the schemas refuse it.
  const words = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('"', '\\', ',', '(', ')', '{', '}', ' ', '\n', "'", 'NULL', 'é') }),
  );
  const row = fc.tuple(
    fc.option(
      fc.oneof(
        fc.integer(),
        fc.integer().map((cents) => new Decimal(cents).div(100)),
        fc.constant(new Decimal('-0')),
      ),
    ),
    fc.option(words.filter((text) => !text.includes('\0'))),
    fc.option(fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })),
    fc.option(fc.boolean()),
  );

  it('arrives as it was sent, with any characters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 5 }), async (rows) => {
        const read = await test.database.query<{ number: string; words: string; at: Date; flag: boolean }>(
          'select number, words, at, flag from unnest($1::pair[]) with ordinality as p(number, words, at, flag, o) order by o',
          [compositeArray(rows)],
        );
        expect(read.map(({ number, words: text, at, flag }) => [number, text, at, flag])).toEqual(
          rows.map(([number, text, at, flag]) => [
            number === null ? null : new Decimal(number).plus(0).toFixed(),
            text,
            at,
            flag,
          ]),
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe('a time that is read', () => {
  it.each([
    '2026-11-26 02:31:12+00',
    '2026-11-26 02:31:12.1+00',
    '2026-11-26 02:31:12.123456+00',
    '2026-11-26 02:31:12.999999+00',
    '0001-01-01 00:00:00+00',
    '9999-12-31 23:59:59.999+00',
    '2026-11-26 02:31:12.5-07:30',
  ])('is that of Postgres to the millisecond: %s', async (text) => {
    const [row] = await test.database.query<{ at: Date; ms: string }>(
      `select $1::text::timestamptz as at, floor(extract(epoch from $1::text::timestamptz) * 1000) as ms`,
      [text],
    );
    expect(row?.at.getTime()).toBe(Number(row?.ms));
  });

  it.each(['infinity', '-infinity'])('may be endless: %s', async (text) => {
    const [row] = await test.database.query<{ at: number }>('select $1::timestamptz as at', [text]);
    expect(row?.at).toBe(text === 'infinity' ? Infinity : -Infinity);
  });
});

describe('writes that travel together', () => {
  const insert = (id: string) => ({
    name: 'insert',
    statement: 'insert into told values ($1, $2)',
    values: [id, 'inserted'],
  });
  const call = (id: string) => ({ name: 'call', call: 'tell($1)', values: [id] });
  const told = async () => test.database.query('select id, words from told order by id');
  beforeEach(() => test.database.query('truncate told'));

  it.each([
    ['a call last', [insert('a'), call('b')]],
    ['a call first', [call('b'), insert('a')]],
  ])('are all carried out: %s', async (_, writes) => {
    await test.database.transaction((tx) => writeTogether(tx, writes));
    expect(await told()).toEqual([
      { id: 'a', words: 'inserted' },
      { id: 'b', words: 'called' },
    ]);
  });

  it('leave out absent writes', async () => {
    await test.database.transaction((tx) => writeTogether(tx, [undefined, insert('a'), undefined]));
    await test.database.transaction((tx) => writeTogether(tx, [undefined]));
    expect(await told()).toEqual([{ id: 'a', words: 'inserted' }]);
  });

  it('are undone together when one fails', async () => {
    const both = test.database.transaction((tx) => writeTogether(tx, [insert('a'), call('a')]));
    await expect(both).rejects.toThrow('duplicate key');
    expect(await told()).toEqual([]);
  });
});

/** Longer than the 63 characters of a prepared statement’s name that Postgres keeps. */
const LONG = 'a-write-with-a-name-that-is-as-long-as-what-a-prepared-statement-may-have';

it('distinguishes composed statements whose names begin alike', async () => {
  await test.database.query('create table written (what text)');
  const write = (end: string): Write => ({
    name: `${LONG}-${end}`,
    statement: `insert into written values ('${end}' || $1)`,
    values: [''],
  });
  await test.database.transaction(async (tx) => {
    for (const ends of [['one'], ['two'], ['one', 'two']])
      await writeTogether(tx, [...ends.map(write), { name: 'call', call: 'now()', values: [] }]);
  });
  const rows = await test.database.query<{ what: string }>('select what from written order by what');
  expect(rows.map(({ what }) => what)).toEqual(['one', 'one', 'two', 'two']);
});
