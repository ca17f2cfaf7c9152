import type { Database } from '../../../../src/kernel/db/database';
import { type Client, type TestApi, testApi } from '../../../support/api';
import { until } from '../../../support/until';
import { dispatching, type RunningDispatcher, register } from '../support';

/** As many as an endpoint may have waiting that was away for long. MANY_EVENTS=1000000 tries a million by hand. */
const MANY = Number(process.env['MANY_EVENTS'] ?? 100_000);
/** By a statement: Postgres ends those of a request after 20 s. */
const AT_MOST_CHANGED = 2_000;

let api: TestApi;
let client: Client;
let running: RunningDispatcher | undefined;
beforeEach(async () => {
  api = await testApi();
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
  // A portion for what was given up, and one for what waits to be tried again.
  const atOnce = 2 * AT_MOST_CHANGED;
  expect(await states()).toEqual({ 'due at its time': atOnce, parked: MANY - atOnce });
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
