/** @long */
import { Context } from '@temporalio/activity';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { createHousekeepingActivities } from '../../activities/housekeeping';
import { DatabaseAway } from '../../src/kernel/db/faults';
import { pastGuards, type TestDatabase, testDatabase } from '../support/database';
import { type TimeSkipping, timeSkipping } from '../support/temporal';

let temporal: TimeSkipping;
let test: TestDatabase;

beforeAll(async () => {
  [temporal, test] = await Promise.all([timeSkipping(), testDatabase()]);
}, 1_200_000);
afterAll(async () => {
  await temporal.close();
  await test.drop();
});

it('takes snapshots and deletes old keys, callbacks, quotes and spending after a database outage', async () => {
  await test.database.query(`
    insert into idempotency_keys (name, fingerprint, status, body, permanent, created_at) values
      (md5('old')::uuid, '', 201, '"old"', false, now() - interval '26 hours'),
      (md5('young')::uuid, '', 201, '"young"', false, now() - interval '23 hours'),
      (md5('permanent')::uuid, '', 202, '"permanent"', true, now() - interval '26 hours')`);
  await test.database.query(
    `insert into ledger_accounts (id, kind, currency) values ('fees:USD', 'internal', 'USD')`,
  );
  await test.database.query(`
    insert into provider_callbacks (id, party, external_id, body, headers, received_at) values
      ('cbk_1', 'checkout', 'old', '', '{}', now() - interval '31 days'),
      ('cbk_2', 'checkout', 'young', '', '{}', now() - interval '29 days')`);
  await test.database.query(`
    insert into tenants (id, name, role) values ('cli_1', 'Acme', 'client');
    insert into quotes (id, tenant_id, account_id, kind, terms, expires_at, created_at, used_by, used_at)
      select id, 'cli_1', 'acc_1', 'deposit', '{}', now() - age, now() - age, used_by, case when used_by is not null then now() end
        from (values ('quo_old', interval '31 days', null), ('quo_young', interval '29 days', null),
                     ('quo_used', interval '31 days', 'dep_1')) as q(id, age, used_by)`);
  await test.database.query(`
    insert into spending (subject_id, currency, day, amount) values
      ('car_1', 'USD', '2026-01-31', 5), ('car_1', 'USD', '2026-02-01', 6), ('car_1', 'USD', '2026-03-01', 7)`);
  const real = createHousekeepingActivities({
    database: test.database,
    now: () => new Date('2026-03-01T00:00:00Z'),
    walletQuarantineSeconds: 86_400,
    cardOrderWaitSeconds: 86_400,
    eventsKeptDays: 90,
  });
  await test.database.query(`
    insert into events (tenant_id, registration, event, data_id, data, created_at, shard, delivery)
      select 'cli_1', 'card', 'card_transaction', id, '{}', now() - age, 0, 'delivered'
        from (values ('ctx_old', interval '91 days'), ('ctx_young', interval '89 days')) as e(id, age)`);
  let away = 12;
  const activities = {
    ...real,
    async takeLedgerSnapshots() {
      if (away-- > 0) throw new DatabaseAway('gone');
      await real.takeLedgerSnapshots();
    },
  };
  await temporal.withWorkers(activities, (client) =>
    client.workflow.execute('housekeeping', { workflowId: 'housekeeping', taskQueue: 'processes' }),
  );
  const keys = await test.database.query<{ body: string }>('select body from idempotency_keys order by body');
  expect(keys.map(({ body }) => body)).toEqual(['"permanent"', '"young"']);
  expect(await test.database.query('select account_id from ledger_snapshots')).toHaveLength(1);
  expect(await test.database.query('select external_id from provider_callbacks')).toEqual([
    { external_id: 'young' },
  ]);
  expect(await test.database.query('select id from quotes order by id')).toEqual([
    { id: 'quo_used' },
    { id: 'quo_young' },
  ]);
  expect(await test.database.query('select data_id from events')).toEqual([{ data_id: 'ctx_young' }]);
  expect(await test.database.query('select day::text from spending order by day')).toEqual([
    { day: '2026-02-01' },
    { day: '2026-03-01' },
  ]);
});

it('deletes old keys while the snapshots fail', async () => {
  let forgotten = 0;
  const activities = {
    async takeLedgerSnapshots() {
      if (forgotten === 0) throw new Error('not before the keys');
    },
    async forgetOldIdempotencyKeys() {
      return (forgotten += 1);
    },
    forgetOldCallbacks: async () => 0,
    forgetOldEvents: async () => 0,
    forgetUnusedQuotes: async () => 0,
    forgetOldSpending: async () => 0,
    forgetPersonalData: async () => 0,
    releaseExpiredWallets: async () => 0,
    showOverdueCardOrders: async () => undefined,
  };
  await temporal.withWorkers(activities, (client) =>
    client.workflow.execute('housekeeping', { workflowId: 'apart', taskQueue: 'processes' }),
  );
  expect(forgotten).toBe(1);
});

/**
 * Runs a workflow whose activities fail. The schedule starts no run before the previous one has ended.
 * @returns hours
 */
async function hoursOf(workflow: string, activities: object): Promise<number> {
  const workflowId = `${workflow}-fails`;
  const on = { workflowId, taskQueue: 'processes', workflowExecutionTimeout: '1 day' };
  const ended = temporal.withWorkers(activities, (client) => client.workflow.execute(workflow, on as never));
  await expect(ended).rejects.toThrow(WorkflowFailedError);
  const { startTime, closeTime } = await temporal.client.workflow.getHandle(workflowId).describe();
  return ((closeTime?.getTime() ?? Number.NaN) - startTime.getTime()) / 3_600_000;
}

it('ends within the hour although an activity always fails, so that the others run again', async () => {
  const done: string[] = [];
  const part = (name: string) => async () => {
    done.push(name);
    return 0;
  };
  const activities = {
    forgetOldIdempotencyKeys: part('keys'),
    forgetOldCallbacks: part('callbacks'),
    forgetOldEvents: part('events'),
    forgetUnusedQuotes: part('quotes'),
    forgetOldSpending: part('spending'),
    releaseExpiredWallets: part('wallets'),
    async takeLedgerSnapshots() {
      throw new Error('never');
    },
  };
  expect(await hoursOf('housekeeping', activities)).toBeLessThan(1);
  expect(done.sort()).toEqual(['callbacks', 'events', 'keys', 'quotes', 'spending', 'wallets']);
});

describe('deletes a backlog in batches, because one statement would exceed its time-out', () => {
  /** A trigger refuses statements that delete more rows. */
  const MAX_ROWS = 1_000;
  const forbidMore = (table: string) =>
    test.database.transaction(async (tx) => {
      await tx.query(`
        create function more_than_a_portion() returns trigger language plpgsql as $$
        begin
          if (select count(*) from gone) > ${MAX_ROWS} then raise 'too many rows in one statement'; end if;
          return null;
        end $$`);
      await tx.query(`
        create trigger more_than_a_portion after delete on ${table}
          referencing old table as gone for each statement execute function more_than_a_portion()`);
    });
  afterEach(() => test.database.query('drop function more_than_a_portion cascade'));

  it.each([
    [
      'forgetOldIdempotencyKeys',
      'idempotency_keys',
      `insert into idempotency_keys (name, fingerprint, status, body, created_at)
         select md5(n::text)::uuid, '', 201, '{}', now() - interval '26 hours' from generate_series(1, 2500) n`,
    ],
    [
      'forgetOldCallbacks',
      'provider_callbacks',
      `insert into provider_callbacks (id, party, external_id, body, headers, received_at)
         select 'cbk_' || n, 'checkout', n::text, '', '{}', now() - interval '31 days' from generate_series(1, 2500) n`,
    ],
    [
      'forgetUnusedQuotes',
      'quotes',
      `insert into quotes (id, tenant_id, account_id, kind, terms, expires_at, created_at)
         select 'quo_' || n, 'cli_1', 'acc_1', 'deposit', '{}', now() - interval '31 days', now() from generate_series(1, 2500) n`,
    ],
    [
      'forgetOldEvents',
      'events',
      `insert into events (tenant_id, registration, event, data_id, data, created_at, shard, delivery)
         select 'cli_1', 'card', 'card_transaction', 'ctx_' || n, '{}', now() - interval '91 days', 0, 'delivered'
           from generate_series(1, 2500) n`,
    ],
    [
      'forgetOldSpending',
      'spending',
      `insert into spending (subject_id, currency, day, amount)
         select 'car_' || n, 'USD', '2026-01-31', 5 from generate_series(1, 2500) n`,
    ],
  ] as const)('%s', async (activity, table, insert) => {
    await pastGuards(test.database, `delete from ${table}`);
    await test.database.query(insert);
    await forbidMore(table);
    const activities = createHousekeepingActivities({
      database: test.database,
      now: () => new Date('2026-03-01T00:00:00Z'),
      walletQuarantineSeconds: 86_400,
      cardOrderWaitSeconds: 86_400,
      eventsKeptDays: 90,
    });
    expect(await activities[activity]()).toBe(2_500);
    expect(await test.database.query(`select 1 from ${table}`)).toEqual([]);
  });
});

it('runs the gas station on its own queue, so that a hanging node takes no slots of KYC and cards', async () => {
  const asked = new Set<string>();
  const note = () => void asked.add(Context.current().info.taskQueue);
  const activities = {
    async advanceGasOperation() {
      note();
      return { status: 'completed', open: false, lookAt: null };
    },
    async orderAutoSweeps() {
      note();
      return 0;
    },
  };
  await temporal.withWorkers(activities, async (client) => {
    const on = { taskQueue: 'processes' };
    await client.workflow.execute('gasOperation', { ...on, workflowId: 'gas-operation-1', args: ['gop_1'] });
    await client.workflow.execute('gasAutoSweep', { ...on, workflowId: 'auto-sweep' });
  });
  expect([...asked]).toEqual(['gas-station']);
});

it('goes on to the next batch of expired authorizations although the first batch fails', async () => {
  const place = { expiresAt: '2026-01-31T12:00:00.000Z', id: 'aut_1' };
  const asked: unknown[] = [];
  const activities = {
    async expireDueAuthorizations(after: unknown) {
      asked.push(after);
      return after === null
        ? { expired: 0, failed: 500, more: true, after: place }
        : { expired: 1, failed: 0, more: false, after: null };
    },
  };
  await temporal.withWorkers(activities, (client) =>
    client.workflow.execute('authorizationExpiry', {
      workflowId: 'expiry',
      taskQueue: 'processes',
      args: [],
    }),
  );
  expect(asked).toEqual([null, place]);
});

it('settles an unanswered authorization once its judgement has ended', async () => {
  const answers: (() => string)[] = [
    () => {
      throw ApplicationFailure.create({ type: 'unavailable', message: 'unavailable' });
    },
    () => 'released',
  ];
  const activities = { settleUnanswered: async (_id: string) => (answers.shift() as () => string)() };
  const settled = await temporal.withWorkers(activities, (client) =>
    client.workflow.execute('unansweredAuthorization', {
      workflowId: 'unanswered-authorization-prm_1',
      taskQueue: 'processes',
      args: ['prm_1'],
    }),
  );
  expect([settled, answers.length]).toEqual(['released', 0]);
});
