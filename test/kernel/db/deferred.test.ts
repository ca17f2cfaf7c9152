import { table } from '../../../src/kernel/db/build';
import { inOrder, type Tx } from '../../../src/kernel/db/database';
import { isDuplicate } from '../../../src/kernel/db/faults';
import { type TestDatabase, testDatabase } from '../../support/database';

/**
 * Statements that travel with the commit, or side by side. Each is sent without waiting, and its error is still
 * reported.
 */

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
  await test.database.query('create table shelf (word text primary key, read int not null default 0)');
});
beforeEach(() => test.database.query(`truncate shelf; insert into shelf values ('one'), ('two')`));
afterAll(() => test.drop());

const words = async () =>
  (await test.database.query('select word from shelf order by word')).map(({ word }) => word);
const insert = (word: unknown) => ({ text: 'insert into shelf (word) values ($1)', values: [word] });
const read = (word: string) => ({ text: 'update shelf set read = read + 1 where word = $1', values: [word] });
const run = (tx: Tx, { text, values }: ReturnType<typeof insert>) => tx.query(text, values);

it('commits a deferred statement with everything else', async () => {
  await test.database.transaction(async (tx) => tx.defer(insert('three')));
  expect(await words()).toEqual(['one', 'three', 'two']);
});

it('undoes everything when a deferred statement fails, and reports its error instead of a later one', async () => {
  const failed = test.database.transaction(async (tx) => {
    tx.defer(insert('three'));
    tx.defer(insert('two'));
    await tx.query('select 1'); // refused, because the transaction has failed
  });
  const error: unknown = await failed.catch((thrown: unknown) => thrown);
  expect(isDuplicate(error)).toBe(true);
  expect(await words()).toEqual(['one', 'two']);
});

it.each([
  [
    'that cannot be built',
    () =>
      table('shelf')
        .insert({ word: undefined as never })
        .where({ word: undefined }),
  ],
  ['with a value that cannot be sent', () => insert(Symbol('four'))],
  ['with an object whose text may fail', () => insert({ toPostgres: () => JSON.parse('{') })],
])(
  'refuses one %s before the commit, and commits nothing else of the transaction',
  async (_what, statement) => {
    const failed = test.database.transaction(async (tx) => {
      tx.defer(insert('three'));
      tx.defer(statement());
    });
    await expect(failed).rejects.toThrow();
    expect(await words()).toEqual(['one', 'two']);
  },
);

it('passes the rows of a deferred statement on before the hooks of the commit', async () => {
  const told: unknown[] = [];
  await test.database.transaction(async (tx) => {
    tx.afterCommit(() => told.push('committed'));
    tx.defer({ text: `insert into shelf (word) values ('three') returning word`, values: [] }, (rows) =>
      told.push(rows),
    );
  });
  expect(told).toEqual([[{ word: 'three' }], 'committed']);
});

it('refuses a deferred statement after its transaction has ended', async () => {
  const kept: Tx[] = [];
  await test.database.transaction(async (tx) => void kept.push(tx));
  expect(() => kept[0]?.defer(insert('three'))).toThrow('the transaction has ended');
});

it('retries a deadlock in a deferred statement, even if a later statement reports it', async () => {
  let others = 0;
  const bothHold = new Promise<void>((resolve) => {
    const wait = setInterval(() => others >= 2 && resolve(clearInterval(wait)), 5);
  });
  const inTurn = (first: string, second: string) =>
    test.database.transaction(async (tx) => {
      await run(tx, read(first));
      others += 1;
      await bothHold;
      tx.defer(read(second));
      await tx.query('select 1');
    });
  await Promise.all([inTurn('one', 'two'), inTurn('two', 'one')]);
  expect(await test.database.query('select word, read from shelf order by word')).toEqual([
    { word: 'one', read: 2 },
    { word: 'two', read: 2 },
  ]);
  expect(others).toBe(3); // one of them twice
});

describe('statements side by side', () => {
  it('return their results in order', async () => {
    const slow = new Promise<string>((resolve) => setTimeout(() => resolve('slow'), 20));
    expect(await inOrder([slow, Promise.resolve(7)])).toEqual(['slow', 7]);
  });

  it('fail with the error of the first failed statement after all have ended, even if a later one fails sooner', async () => {
    let ended = false;
    const later = (ms: number, done: () => void) =>
      new Promise<void>((resolve, reject) =>
        setTimeout(() => {
          done();
          if (ms === 10) reject(new Error('the first'));
          else resolve();
        }, ms),
      );
    const sent = [
      later(10, () => undefined),
      Promise.reject(new Error('sooner')),
      later(30, () => {
        ended = true;
      }),
    ];
    await expect(inOrder(sent)).rejects.toThrow('the first');
    expect(ended).toBe(true);
  });
});
