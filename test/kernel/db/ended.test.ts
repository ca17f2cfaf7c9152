import { table } from '../../../src/kernel/db/build';
import type { Database, Tx } from '../../../src/kernel/db/database';
import { createDatabase } from '../../../src/kernel/db/database';
import { DatabaseAway } from '../../../src/kernel/db/faults';
import { Problem } from '../../../src/kernel/errors';
import { keyIn, withKey } from '../../../src/kernel/idempotency';
import { type TestDatabase, testDatabase } from '../../support/database';

/**
 * One branch of a transaction's work fails while another is under way. Statements of the other branch are then refused.
 */

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase(1); // the next caller gets the same connection
  await test.database.query('create table shelf (word text primary key)');
});
beforeEach(() => test.database.query('truncate shelf'));
afterAll(() => test.drop());

const words = async () =>
  (await test.database.query('select word from shelf order by word')).map(({ word }) => word);
const insert = (sql: Pick<Tx, 'query'>, word: string) => sql.query('insert into shelf values ($1)', [word]);

const WAYS: [string, (tx: Tx) => unknown][] = [
  ['query', (tx) => insert(tx, 'late')],
  ['prepared', (tx) => tx.prepared('shelve', 'insert into shelf values ($1)', ['late'])],
  ['run', (tx) => tx.run(table('shelf').insert({ word: 'late' }))],
  ['afterCommit', (tx) => tx.afterCommit(() => undefined)],
];

/** A branch that continues on demand, and how it ended. */
function branch(goOn: (tx: Tx) => unknown) {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let ending: Promise<string> = Promise.resolve('never begun');
  return {
    async begin(tx: Tx) {
      const work = gate.then(() => goOn(tx));
      ending = work.then(
        () => 'done',
        (error: Error) => error.message,
      );
      await work;
    },
    ended() {
      open();
      return ending;
    },
  };
}

const REFUSED = 'the transaction has ended';

describe.each(WAYS)('%s', (_way, goOn) => {
  it('sends nothing after another branch has failed', async () => {
    const late = branch(goOn);
    const failed = test.database.transaction((tx) =>
      Promise.all([late.begin(tx), Promise.reject(new Error('at once'))]),
    );
    await expect(failed).rejects.toThrow('at once');
    expect(await late.ended()).toBe(REFUSED);
    expect(await words()).toEqual([]);
  });

  it('sends nothing to the next transaction on the same connection', async () => {
    const late = branch(goOn);
    const failed = test.database.transaction((tx) =>
      Promise.all([late.begin(tx), insert(tx, 'undone'), Promise.reject(new Error('at once'))]),
    );
    await expect(failed).rejects.toThrow('at once');
    await test.database.transaction(async (tx) => {
      await insert(tx, 'mine');
      expect(await late.ended()).toBe(REFUSED);
    });
    expect(await words()).toEqual(['mine']);
  });

  it('sends nothing after the commit when nobody awaited it', async () => {
    const late = branch(goOn);
    await test.database.transaction(async (tx) => {
      late.begin(tx).catch(() => undefined);
      await insert(tx, 'mine');
    });
    expect(await late.ended()).toBe(REFUSED);
    expect(await words()).toEqual(['mine']);
  });

  it('sends nothing after the refusal that ended the request', async () => {
    const late = branch(goOn);
    const key = keyIn({
      tenantId: 't',
      scope: 's',
      key: `key-${_way}`,
      fingerprint: Buffer.alloc(32),
      permanent: false,
    });
    const answer = (status: number) => ({ status, body: '{}' });
    const work = (tx: Tx) =>
      Promise.all([late.begin(tx), insert(tx, 'undone'), Promise.reject(new Problem(409, 'refused', 'No.'))]);
    expect(
      await withKey(
        test.database,
        key,
        async (tx) => {
          await work(tx);
          return answer(200);
        },
        (problem) => {
          void late.ended(); // while the transaction is still open, before the refusal is stored
          return answer(problem.status);
        },
      ),
    ).toMatchObject({ status: 409, replayed: false });
    expect(await late.ended()).toBe(REFUSED);
    expect(await words()).toEqual([]);
  });
});

describe('the end of a failed transaction', () => {
  let other: Database;
  beforeAll(() => {
    other = createDatabase({ url: test.url, poolSize: 2, name: 'other' });
  });
  afterAll(() => other.close());

  /** Locks the row `taken` until it is released. */
  async function lockRow() {
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await insert(other, 'taken');
    let ended: Promise<unknown> = Promise.resolve();
    await new Promise<void>((locked) => {
      ended = other.transaction(async (tx) => {
        await tx.query(`select 1 from shelf where word = 'taken' for update`);
        locked();
        await held;
      });
    });
    return () => {
      letGo();
      return ended;
    };
  }
  const rename = (tx: Tx) => tx.query(`update shelf set word = 'late' where word = 'taken'`);

  it('waits for a statement under way', async () => {
    const letGo = await lockRow();
    const failed = test.database.transaction((tx) =>
      Promise.all([rename(tx), Promise.reject(new Error('at once'))]),
    );
    failed.catch(() => undefined);
    const next = insert(test.database, 'next');
    await letGo();
    await expect(failed).rejects.toThrow('at once');
    await next;
    expect(await words()).toEqual(['next', 'taken']);
  });

  it('does not reuse a connection whose rollback failed', async () => {
    const letGo = await lockRow();
    const impatient = createDatabase({
      url: `${test.url}?query_timeout=2000`,
      poolSize: 1,
      name: 'impatient',
    });
    try {
      const failed = impatient.transaction(
        (tx) => Promise.all([rename(tx), Promise.reject(new Error('at once'))]),
        { statementSeconds: 600, lockSeconds: 600 },
      );
      await expect(failed).rejects.toThrow('at once');
      await impatient.transaction((tx) => insert(tx, 'mine'));
      await letGo();
      expect(await words()).toEqual(['mine', 'taken']);
    } finally {
      await impatient.close();
    }
  });

  it('holds no lock when another database was away', async () => {
    await insert(other, 'taken');
    const failed = test.database.transaction(async (tx) => {
      await tx.query(`select 1 from shelf where word = 'taken' for update`);
      throw new DatabaseAway('elsewhere');
    });
    await expect(failed).rejects.toThrow(DatabaseAway);
    await other.query(`update shelf set word = 'free' where word = 'taken'`);
    expect(await words()).toEqual(['free']);
  });
});
