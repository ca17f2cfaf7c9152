import { lookoutOf } from '../../../src/kernel/db/lookout';
import { type TestDatabase, testDatabase } from '../../support/database';
import { until } from '../../support/until';

let test: TestDatabase;
beforeEach(async () => {
  test = await testDatabase();
});
afterEach(() => test.drop());

const COUNT = { name: 'count', sql: 'select count(*) from coins' };

it('asks no second time for what it saw within two seconds', async () => {
  const { database } = test;
  const statements = jest.spyOn(database, 'query');
  const lookout = lookoutOf(database);
  const first = await lookout.seen(COUNT);
  expect(await lookout.seen(COUNT)).toEqual(first);
  expect(statements).toHaveBeenCalledTimes(1);
  lookout.wake();
  expect((await lookout.seen(COUNT)).at).toBeGreaterThan(first.at);
  expect(statements).toHaveBeenCalledTimes(2);
});

it('takes the moment before a look, however late the answer comes', async () => {
  const { database } = test;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isLocked = false;
  const lock = database.transaction(async (tx) => {
    await tx.query('lock table coins in access exclusive mode');
    isLocked = true;
    await held;
  });
  await until(async () => isLocked);
  const looking = lookoutOf(database).seen(COUNT);
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await until(async () => (await database.query(waiting)).length > 0);
  const waits = performance.now();
  release();
  await lock;
  expect((await looking).at).toBeLessThan(waits);
});
