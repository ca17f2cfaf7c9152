/** @long */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { createDelivery } from '../../activities/webhooks';
import { serveSigning } from '../../src/chain/signing/serve';
import { DUE_SCHEDULES } from '../../src/composition';
import type { Database } from '../../src/kernel/db/database';
import { createProductClock, keepProductClock } from '../../src/kernel/product-clock';
import { startDueSchedules } from '../../src/kernel/temporal/due-schedules';
import { startRelay } from '../../src/kernel/temporal/relay';
import { createCallbackLoop } from '../../src/parties/sandbox/callbacks';
import { keepCommitWatch } from '../../src/startup/commit-watch';
import { createDispatcher } from '../../src/tenants/webhooks/delivery/dispatcher';
import { type TestApi, testApi } from '../support/api';
import { temporaryFolder } from '../support/servers';
import { until } from '../support/until';

/** A process that waits for nothing asks Postgres less than once a second, whatever its loops wait for. */

/** By then the lookout has come to rest: 0.25, 0.5, 1 and 2 seconds. */
const QUIET_MS = 4_500;
const COUNTED_MS = 6_000;

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

/** A database that notes the time of each statement. A transaction counts as its begin, its commit and its statements. */
function counted(database: Database): { database: Database; sent: number[] } {
  const sent: number[] = [];
  const noted =
    <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
    (...args: Args): Result => {
      sent.push(performance.now());
      return work(...args);
    };
  const { run, query, prepared } = database;
  const transaction: Database['transaction'] = (work, options) => {
    sent.push(performance.now(), performance.now());
    return database.transaction(
      (tx) =>
        work({
          ...tx,
          run: noted(tx.run) as typeof tx.run,
          query: noted(tx.query) as typeof tx.query,
          prepared: noted(tx.prepared) as typeof tx.prepared,
        }),
      options,
    );
  };
  return {
    sent,
    database: {
      ...database,
      run: noted(run) as typeof run,
      query: noted(query) as typeof query,
      prepared: noted(prepared) as typeof prepared,
      transaction,
    },
  };
}

/** No loop calls Temporal or signs, because nothing is there to be done. */
const uncalled = () => Promise.reject(new Error('it must not be called'));
const client = {} as Client;

async function startLoops(database: Database): Promise<() => Promise<void>> {
  const services = { ...api.services, database };
  const { log, now, productClock } = services;
  const commits = await keepCommitWatch(services, temporaryFolder());
  const clock = keepProductClock(
    createProductClock(() => new Date()),
    database,
    async () => undefined,
  );
  const relay = startRelay({ client, database, log });
  const schedules = startDueSchedules({ client, database, log, due: DUE_SCHEDULES });
  const shard = createDispatcher(createDelivery(services)).take(0);
  const signer = { addresses: uncalled, sign: uncalled, signAuthorization: uncalled };
  const serving = { database, log, signer, judge: uncalled, check: async () => undefined };
  const signing = serveSigning({ ...serving, now, faulty: new Set() });
  const callbacks = createCallbackLoop({
    database,
    log,
    secretOf: () => Buffer.alloc(32),
    refNameOf: () => 'id',
    now,
    machineNow: productClock.machineNow,
  });
  callbacks.start();
  return async () => {
    shard.release();
    const loops = [
      commits.end(),
      clock.stop(),
      relay.stop(),
      schedules.stop(),
      signing.stop(),
      callbacks.stop(),
    ];
    await Promise.all(loops);
  };
}

test('seven loops of a process that waits for nothing send less than a statement a second, and hear of work', async () => {
  const { database, sent } = counted(api.services.database);
  const stop = await startLoops(database);
  try {
    await sleep(QUIET_MS);
    const from = performance.now();
    await sleep(COUNTED_MS);
    // By the clock, so that a slow machine counts no longer than a fast one.
    const inTime = sent.filter((at) => at >= from && at < from + COUNTED_MS);
    expect(inTime.length).toBeGreaterThan(0);
    expect(inTime.length).toBeLessThan(COUNTED_MS / 1_000);
    // Another process writes a request that nobody can read.
    await api.database.query(
      `insert into signing_requests (digest, request, asked_at) values ('an unreadable one', '{}', clock_timestamp())`,
    );
    await until(async () => {
      const [row] = await api.database.query<{ answer: object | null }>(
        'select answer from signing_requests',
      );
      return row?.answer != null;
    });
  } finally {
    await stop();
  }
});
