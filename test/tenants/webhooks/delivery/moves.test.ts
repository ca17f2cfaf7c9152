/** @long */
import type { Database } from '../../../../src/kernel/db/database';
import { parkDue } from '../../../../src/tenants/webhooks/delivery/moves';
import { beginRecovery } from '../../../../src/tenants/webhooks/delivery/recovery';
import { retryFailed } from '../../../../src/tenants/webhooks/operator';
import { expectIndexes } from '../../../growth/explain';
import { type Statement, spiedDatabase } from '../../../growth/spy';
import { type Client, type TestApi, testApi } from '../../../support/api';
import { until } from '../../../support/until';
import { append, dispatching, type RunningDispatcher, register } from '../support';

/** As many as may wait for an endpoint after a long absence. MANY_EVENTS=1000000 tests a million by hand. */
const MANY = Number(process.env['MANY_EVENTS'] ?? 100_000);
/** Per statement, because Postgres ends statements of a request after 20 s. */
const AT_MOST_CHANGED = 2_000;

let api: TestApi;
let client: Client;
let statements: Statement[];
let running: RunningDispatcher | undefined;
beforeEach(async () => {
  const spied: Statement[] = [];
  statements = spied;
  api = await testApi({}, (database) => spiedDatabase(database, spied));
  client = await api.client();
  await register(client, 'https://127.0.0.1:9/nobody', 'card');
  await disabledOrNot('failing');
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await api.close();
});

/** Failing endpoints get only probes of their recovery. */
const disabledOrNot = (status: string) =>
  api.database.query(
    `update webhook_endpoints set status = $1, next_probe_at = now() + interval '1 day' where tenant_id = $2`,
    [status, client.clientId],
  );

const waiting = (database: Database, count: number, attempts = 0) =>
  database.transaction(
    async (tx) => {
      await tx.query(
        `insert into events (tenant_id, registration, event, data_id, data, created_at, shard, delivery, attempts, due_at)
         select $1::text, 'card', 'card_transaction', 'evt_' || n, '{}', t.at, webhook_shard($1::text, 'card'), 'due', $3, t.at
           from generate_series(1, $2::int) n,
        lateral (select date_trunc('milliseconds', now()) - ($2::int - n + 1000) * interval '1 ms' as at) t`,
        [client.clientId, count, attempts],
      );
    },
    { statementSeconds: 600 },
  );

async function states(): Promise<Record<string, number>> {
  const rows = await api.database.query<{ state: string; count: number }>(
    `select delivery || case when due_at is null then '' else ' at its time' end as state, count(*)::int as count
       from events where tenant_id = $1 group by 1 order by 1`,
    [client.clientId],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

const marked = async () =>
  Number((await api.database.query<{ count: string }>('select count(*) from webhook_moves'))[0]?.count);

async function moved(): Promise<void> {
  running = dispatching(api);
  await until(async () => (await marked()) === 0);
  await running.stop();
}

it('parks very many events in portions after a deletion, and makes them due again by a resend', async () => {
  await waiting(api.database, MANY);
  let began = performance.now();
  expect((await client.call('DELETE', '/v1/webhooks?type=card')).status).toBe(204);
  const times = [performance.now() - began];
  expect(await states()).toEqual({ 'due at its time': MANY - AT_MOST_CHANGED, parked: AT_MOST_CHANGED });
  began = performance.now();
  await moved();
  times.push(performance.now() - began);
  expect(await states()).toEqual({ parked: MANY });

  await register(client, 'https://127.0.0.1:9/nobody', 'card');
  await disabledOrNot('failing');
  began = performance.now();
  const { body } = await client.call('POST', '/v1/webhooks/resend?fromDate=2000-01-01T00:00:00Z');
  times.push(performance.now() - began);
  expect(body).toMatchObject({ card: MANY, total: MANY });
  expect(await states()).toEqual({ 'due at its time': AT_MOST_CHANGED, parked: MANY - AT_MOST_CHANGED });
  began = performance.now();
  await moved();
  times.push(performance.now() - began);
  expect(await states()).toEqual({ 'due at its time': MANY });
  if (process.env['MANY_EVENTS'])
    console.log(MANY, 'delete, moved, resend, moved: ms', times.map(Math.round));
}, 1_200_000);

it('sends an endpoint that was set again no event that is still to be parked, and all later ones', async () => {
  await waiting(api.database, 10_000);
  await client.call('DELETE', '/v1/webhooks?type=card');
  await register(client, 'https://127.0.0.1:9/nobody', 'card');
  expect(await marked()).toBe(1);
  await waiting(api.database, 3);
  await moved();
  const { parked, ...rest } = await states();
  expect(parked).toBe(10_000);
  expect(Object.values(rest)).toEqual([3]);
});

it('runs a resend after the parking of its events', async () => {
  await waiting(api.database, 10_000, 3);
  await client.call('DELETE', '/v1/webhooks?type=card');
  await register(client, 'https://127.0.0.1:9/nobody', 'card');
  await disabledOrNot('failing');
  const { body } = await client.call('POST', '/v1/webhooks/resend?fromDate=2000-01-01T00:00:00Z');
  expect(body).toMatchObject({ card: 10_000 });
  await moved();
  expect(await states()).toEqual({ 'due at its time': 10_000 });
  const tried = await api.database.query('select from events where attempts > 0');
  expect(tried).toHaveLength(0);
});

it('keeps the due time of events of a disabled endpoint until the endpoint is deleted', async () => {
  await waiting(api.database, 10_000, 3);
  await disabledOrNot('disabled');
  running = dispatching(api);
  await until(async () => (await states())['parked at its time'] === 10_000);
  await running.stop();
  expect(await marked()).toBe(0);
  await client.call('DELETE', '/v1/webhooks?type=card');
  await moved();
  expect(await states()).toEqual({ parked: 10_000 });
});

const card = () => ({ tenantId: client.clientId, registration: 'card' as const });

it('marks the events of a disabled endpoint once, even if they are found repeatedly', async () => {
  await waiting(api.database, 10_000);
  await disabledOrNot('disabled');
  for (let polls = 0; polls < 3; polls += 1) await parkDue(api.database, [card()]);
  expect(await marked()).toBe(1);
});

it('marks parked events in a recovery, and dispatchers make them due again in portions', async () => {
  await waiting(api.database, 10_000, 3);
  await disabledOrNot('disabled');
  await parkDue(api.database, [card()]);
  await moved();
  await disabledOrNot('failing');
  await beginRecovery(api.database, card());
  expect(await states()).toEqual({ 'due at its time': AT_MOST_CHANGED, 'parked at its time': 8_000 });
  await moved();
  expect(await states()).toEqual({ 'due at its time': 10_000 });
  expect(await api.database.query('select from events where attempts > 0')).toHaveLength(0);
});

it('sends all events to an endpoint that is set again while they are being parked', async () => {
  await waiting(api.database, 10_000);
  await disabledOrNot('disabled');
  await parkDue(api.database, [card()]);
  expect(await states()).toEqual({ 'due at its time': 8_000, 'parked at its time': AT_MOST_CHANGED });
  await disabledOrNot('failing');
  await beginRecovery(api.database, card());
  await moved();
  expect(await states()).toEqual({ 'due at its time': 10_000 });
});

it('keeps for a resend events that were about to be due again at a deletion', async () => {
  await waiting(api.database, 10_000);
  await disabledOrNot('disabled');
  await parkDue(api.database, [card()]);
  await moved();
  await disabledOrNot('failing');
  await beginRecovery(api.database, card());
  await client.call('DELETE', '/v1/webhooks?type=card');
  await register(client, 'https://127.0.0.1:9/nobody', 'card');
  await disabledOrNot('failing');
  await beginRecovery(api.database, card());
  await moved();
  expect(await states()).toEqual({ parked: 10_000 });
});

it('ends a portion by the number of events read, even if none changes', async () => {
  await waiting(api.database, 10_000);
  await client.call('DELETE', '/v1/webhooks?type=card');
  await moved();
  await register(client, 'https://127.0.0.1:9/nobody', 'card');
  await append(api, client);
  await api.database.query(`update events set delivery = 'failed', due_at = null where delivery = 'due'`);
  await disabledOrNot('failing');
  const queued = await api.database.transaction((tx) =>
    retryFailed(tx, api.services.commands, { tenantId: client.clientId }),
  );
  expect(queued).toMatchObject({ card: 1, total: 1 });
  const places = await api.database.query(
    `select action, (select count(*)::int from events where (created_at, number) <= (after_at, after_number)) as read
       from webhook_moves`,
  );
  expect(places).toEqual([{ action: 'resend', read: AT_MOST_CHANGED }]);
  await moved();
  expect(await states()).toEqual({ 'due at its time': 1, parked: 10_000 });
});

it('never scans all events, even if statistics say that nearly all of them wait', async () => {
  const byIndexes = (work: () => Promise<unknown>) =>
    expectIndexes({ database: api.database, statements, large: ['events'] }, work);
  const spied = api.services.database;
  await waiting(api.database, 30_000, 3);
  await api.database.query('analyze events');
  await disabledOrNot('disabled');
  await byIndexes(() => parkDue(spied, [card()]));
  await moved();
  await api.database.query('analyze events');
  await disabledOrNot('failing');
  await byIndexes(() => beginRecovery(spied, card()));
  await byIndexes(() => client.call('DELETE', '/v1/webhooks?type=card'));
});
