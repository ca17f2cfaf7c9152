import type { Database } from '../../../../src/kernel/db/database';
import { parkDue } from '../../../../src/tenants/webhooks/delivery/moves';
import { beginRecovery } from '../../../../src/tenants/webhooks/delivery/recovery';
import { expectIndexes } from '../../../growth/explain';
import { type Statement, spiedDatabase } from '../../../growth/spy';
import { type Client, type TestApi, testApi } from '../../../support/api';
import { until } from '../../../support/until';
import { append, dispatching, type RunningDispatcher, register } from '../support';

/** As many as an endpoint may have waiting that was away for long. MANY_EVENTS=1000000 tries a million by hand. */
const MANY = Number(process.env['MANY_EVENTS'] ?? 100_000);
/** By a statement: Postgres ends those of a request after 20 s. */
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

/** Nothing is sent to one that fails: its recovery probes it. */
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

it('a deletion parks very many in portions, and a resend makes them due again', async () => {
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

it('an endpoint that is set again gets nothing of what is still to be parked, and all that comes after', async () => {
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

it('a resend of what is still to be parked follows it', async () => {
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

it('what waits for a disabled endpoint keeps its time until the endpoint is deleted', async () => {
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

it('what waits for a disabled endpoint is marked once, however often it is found', async () => {
  await waiting(api.database, 10_000);
  await disabledOrNot('disabled');
  for (let polls = 0; polls < 3; polls += 1) await parkDue(api.database, [card()]);
  expect(await marked()).toBe(1);
});

it('a recovery marks what was parked, and dispatchers make it due again in portions', async () => {
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

it('an endpoint that is set again while its events are being parked gets all of them', async () => {
  await waiting(api.database, 10_000);
  await disabledOrNot('disabled');
  await parkDue(api.database, [card()]);
  expect(await states()).toEqual({ 'due at its time': 8_000, 'parked at its time': AT_MOST_CHANGED });
  await disabledOrNot('failing');
  await beginRecovery(api.database, card());
  await moved();
  expect(await states()).toEqual({ 'due at its time': 10_000 });
});

it('a deletion keeps for a resend what was about to be due again', async () => {
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

it('a portion ends after so many events that it has read, also where it changes none', async () => {
  await waiting(api.database, 10_000);
  await client.call('DELETE', '/v1/webhooks?type=card');
  await moved();
  await register(client, 'https://127.0.0.1:9/nobody', 'account');
  await append(api, client, { registration: 'account' });
  await api.database.query(
    `update events set delivery = 'failed', due_at = null where registration = 'account'`,
  );
  await disabledOrNot('failing');
  const { body } = await client.call('POST', '/v1/webhooks/resend?fromDate=2000-01-01T00:00:00Z');
  expect(body).toMatchObject({ account: 1, total: 1 });
  const places = await api.database.query(
    `select action, (select count(*)::int from events where (created_at, number) <= (after_at, after_number)) as read
       from webhook_moves`,
  );
  expect(places).toEqual([{ action: 'resend', read: AT_MOST_CHANGED }]);
  await moved();
  expect(await states()).toEqual({ 'due at its time': 1, parked: 10_000 });
});

it('no statement reads the events from end to end, also where statistics know nearly all of them to wait', async () => {
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
