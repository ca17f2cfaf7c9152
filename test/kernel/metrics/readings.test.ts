import { createDatabase, type Sql } from '../../../src/kernel/db/database';
import { sample } from '../../../src/kernel/metrics/definitions';
import { createMetrics } from '../../../src/kernel/metrics/metrics';
import type { Reading } from '../../../src/kernel/metrics/readings';
import { waitingReading } from '../../../src/kernel/metrics/waiting';
import { startProxy } from '../../http/postgres-proxy';
import { type TestDatabase, testDatabase } from '../../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.drop());

const waiting = (read: (sql: Sql) => Promise<number>): Reading => ({
  name: 'waiting',
  gauges: ['waiting_for_person'],
  read: async (sql) => [sample('waiting_for_person', { queue: 'payouts' }, await read(sql))],
});
const breaks = (read: (sql: Sql) => Promise<unknown>): Reading => ({
  name: 'breaks',
  gauges: ['breaks_open'],
  async read(sql) {
    await read(sql);
    return [sample('breaks_open', { kind: 'a' }, 1)];
  },
});

function scraping(readings: Reading[], options: object = {}) {
  const metrics = createMetrics({ database: test.database, readings: () => readings, ...options });
  return async () => {
    const { body } = await metrics.render();
    const lines = body.split('\n').filter((line) => /^(waiting_|breaks_|metrics_)/.test(line));
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
    );
  };
}

const UP = 'metrics_reading_up{reading="waiting"}';
const PAYOUTS = 'waiting_for_person{queue="payouts"}';

it('reads once within some seconds for any number of scrapes', async () => {
  let now = 0;
  let reads = 0;
  const scrape = scraping([waiting(async () => (reads += 1))], { now: () => now });
  await Promise.all([scrape(), scrape(), scrape()]);
  now = 4_999;
  expect(await scrape()).toEqual({ [UP]: 1, [PAYOUTS]: 1 });
  now = 5_000;
  expect(await scrape()).toEqual({ [UP]: 1, [PAYOUTS]: 2 });
});

it('keeps a dear reading for as long as it says, and tries a failed one again soon', async () => {
  let now = 0;
  let reads = 0;
  let isWrong = false;
  const dear = {
    ...waiting(async (sql) => {
      if (isWrong) await sql.query('select 1/0');
      return (reads += 1);
    }),
    keptMs: 60_000,
  };
  const scrape = scraping([dear], { now: () => now });
  await scrape();
  now = 59_999;
  expect(await scrape()).toEqual({ [UP]: 1, [PAYOUTS]: 1 });
  isWrong = true;
  now = 60_000;
  expect(await scrape()).toEqual({ [UP]: 0 });
  isWrong = false;
  now = 65_000;
  expect(await scrape()).toEqual({ [UP]: 1, [PAYOUTS]: 2 });
});

it('leaves out a reading that fails, and shows the rest', async () => {
  let now = 0;
  let isWrong = false;
  const failing = waiting((sql) => (isWrong ? sql.query('select 1/0').then(() => 0) : Promise.resolve(7)));
  const scrape = scraping([failing, breaks((sql) => sql.query('select 1'))], { now: () => now });
  const others = { 'metrics_reading_up{reading="breaks"}': 1, 'breaks_open{kind="a"}': 1 };
  expect(await scrape()).toEqual({ ...others, [UP]: 1, [PAYOUTS]: 7 });
  isWrong = true;
  now = 10_000;
  expect(await scrape()).toEqual({ ...others, [UP]: 0 });
});

it('ends a reading that takes Postgres too long', async () => {
  const scrape = scraping([waiting((sql) => sql.query('select pg_sleep(60)').then(() => 1))], {
    patienceMs: 30_000,
  });
  expect(await scrape()).toEqual({ [UP]: 0 });
});

it('answers scrapes while Postgres hangs or is away: with cached values for a moment, then without', async () => {
  let now = 0;
  const proxy = await startProxy(test.url);
  const database = createDatabase({ url: proxy.url, poolSize: 2, name: 'readings' });
  let isHanging = false;
  let endHanging = (_: number): void => undefined;
  const hanging = () => new Promise<number>((resolve) => (endHanging = resolve));
  const scrape = scraping([waiting((sql) => (isHanging ? hanging() : sql.query('select 1').then(() => 3)))], {
    database,
    now: () => now,
    patienceMs: 50,
  });
  const awaited = async () => {
    for (let tries = 0; tries < 100; tries += 1) {
      const found = await scrape();
      if (found[UP] === 1) return found;
    }
    return scrape();
  };
  expect(await awaited()).toEqual({ [UP]: 1, [PAYOUTS]: 3 });
  isHanging = true;
  now = 30_000;
  expect(await scrape()).toEqual({ [UP]: 1, [PAYOUTS]: 3 });
  now = 30_001;
  expect(await scrape()).toEqual({ [UP]: 0 });
  endHanging(0);
  await proxy.close();
  const away = scraping([waiting((sql) => sql.query('select 1').then(() => 3))], {
    database,
    patienceMs: 50,
  });
  expect(await away()).toEqual({ [UP]: 0 });
  await database.close().catch(() => undefined);
});

it('shows the length of each queue and the age of its oldest record', async () => {
  const counts = async () => [
    { queue: 'deposits', count: 2, oldestSeconds: 90 },
    { queue: 'payouts', count: 0, oldestSeconds: 0 },
  ];
  expect(await scraping([waitingReading(counts)])()).toEqual({
    [UP]: 1,
    'waiting_for_person{queue="deposits"}': 2,
    'waiting_for_person_oldest_seconds{queue="deposits"}': 90,
    [PAYOUTS]: 0,
    'waiting_for_person_oldest_seconds{queue="payouts"}': 0,
  });
});
