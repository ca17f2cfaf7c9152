import type { AddressInfo } from 'node:net';
import { buildId } from '../../../src/kernel/build';
import { createMetrics } from '../../../src/kernel/metrics/metrics';
import { WEBHOOK_OUTCOMES } from '../../../src/kernel/metrics/observers';
import { outboxReading } from '../../../src/kernel/metrics/outbox';
import { createMetricsServer } from '../../../src/kernel/metrics/server';
import type { Readiness } from '../../../src/kernel/readiness';
import { observedPoster } from '../../../src/tenants/webhooks/delivery/observed-poster';
import { type Delivery } from '../../../src/tenants/webhooks/delivery/poster';
import { type TestDatabase, testDatabase } from '../../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.drop());

/** Fields of an attempt that no outcome depends on. */
const REST = { gone: false, at: new Date(), durationMs: 1_500, retryAfterMs: 0 };

const sample = (text: string, name: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.slice(name.length + 1);

it('counts requests by route pattern, and made-up methods together', async () => {
  const metrics = createMetrics();
  metrics.observe({ method: 'GET', route: '/v1/cards/{id}', status: 200, seconds: 0.02 });
  metrics.observe({ method: 'BREW', route: 'none', status: 404, seconds: 0.02 });
  const { body, contentType } = await metrics.render();
  expect(contentType).toContain('text/plain');
  const count = 'http_request_duration_seconds_count';
  expect(sample(body, `${count}{method="GET",route="/v1/cards/{id}",status="200"}`)).toBe('1');
  expect(sample(body, `${count}{method="other",route="none",status="404"}`)).toBe('1');
  expect(body).toContain('process_cpu_seconds_total');
});

it('counts forged callbacks by party', async () => {
  const metrics = createMetrics();
  for (const party of ['bank', 'checkout', 'bank']) metrics.observers.observeForged(party);
  const { body } = await metrics.render();
  expect(sample(body, 'callbacks_forged_total{party="bank"}')).toBe('2');
  expect(sample(body, 'callbacks_forged_total{party="checkout"}')).toBe('1');
});

it('counts readings of lists that failed, by party', async () => {
  const metrics = createMetrics();
  for (const party of ['bank', 'checkout', 'bank']) metrics.observers.observeUnreadableList(party);
  const { body } = await metrics.render();
  expect(sample(body, 'party_lists_unreadable_total{party="bank"}')).toBe('2');
});

it('shows the length of the outbox at the moment of the scrape', async () => {
  let now = 0;
  const { database } = test;
  const metrics = createMetrics({ database, readings: () => [outboxReading], now: () => now });
  const before = (await metrics.render()).body;
  expect(sample(before, 'outbox_workflow_commands{state="due"}')).toBe('0');
  await test.database.query(
    `insert into workflow_commands (workflow, workflow_id, task_queue, action, args, created_at, due_at, parked_at)
     values ('w', 'a', 'q', 'start', '[]', now() - interval '1 hour', now() - interval '1 hour', null),
            ('w', 'b', 'q', 'start', '[]', now(), now(), now())`,
  );
  await test.database.query(
    `insert into events (tenant_id, registration, event, data_id, data, created_at, shard, delivery, due_at)
     select 'cli_x', 'card', 'card_transaction', 'ctx_' || n, '{}', now(), n % 16,
            case when n <= 20 then 'due' else 'failed' end, now() - make_interval(mins => n)
       from generate_series(1, 23) n`,
  );
  expect((await metrics.render()).body).toContain('outbox_workflow_commands{state="due"} 0'); // cached for some seconds
  now = 5_000;
  const { body } = await metrics.render();
  expect(sample(body, 'outbox_workflow_commands{state="due"}')).toBe('1');
  expect(sample(body, 'outbox_workflow_commands{state="parked"}')).toBe('1');
  expect(sample(body, 'outbox_webhook_events{state="due"}')).toBe('20');
  expect(sample(body, 'outbox_webhook_events{state="failed"}')).toBe('3');
  expect(Number(sample(body, 'outbox_oldest_seconds{kind="command"}'))).toBeGreaterThanOrEqual(3600);
  expect(Number(sample(body, 'outbox_oldest_seconds{kind="event"}'))).toBeGreaterThanOrEqual(1200);
  expect(sample(body, 'metrics_reading_up{reading="outbox"}')).toBe('1');
});

it('counts authorizations, and declines by reason', async () => {
  const { observers, render } = createMetrics();
  observers.observeAuthorization('approved', null);
  observers.observeAuthorization('declined', 'card_frozen');
  observers.observeAuthorization('declined', 'card_frozen');
  observers.observeAuthorization('forced', null);
  const { body } = await render();
  expect(sample(body, 'card_authorizations_total{outcome="approved"}')).toBe('1');
  expect(sample(body, 'card_authorizations_total{outcome="declined"}')).toBe('2');
  expect(sample(body, 'card_authorizations_total{outcome="forced"}')).toBe('1');
  expect(sample(body, 'card_declines_total{reason="card_frozen"}')).toBe('2');
});

it('counts and times calls of parties, and shows their breakers', async () => {
  const { observers, render } = createMetrics();
  const call = { party: 'bank', operation: 'ask' };
  observers.observePartyCall({ ...call, outcome: 'ok', seconds: 0.02 });
  observers.observePartyCall({ ...call, outcome: 'unknown', seconds: 20 });
  observers.observeBreaker('workflow', 'bank', true);
  observers.observeBreaker('first_step', 'bank', true);
  observers.observeBreaker('first_step', 'bank', false);
  const { body } = await render();
  expect(sample(body, 'party_calls_total{party="bank",operation="ask",outcome="unknown"}')).toBe('1');
  expect(sample(body, 'party_call_duration_seconds_count{party="bank",operation="ask"}')).toBe('2');
  expect(sample(body, 'party_breaker_open{gate="workflow",party="bank"}')).toBe('1');
  expect(sample(body, 'party_breaker_open{gate="first_step",party="bank"}')).toBe('0');
});

it('tells build, Node and role', async () => {
  const told = sample(
    (await createMetrics({ role: 'worker' }).render()).body,
    `build_info{build="${buildId()}",node="${process.versions.node}",role="worker"}`,
  );
  expect(told).toBe('1');
});

it('counts attempts of webhooks by few outcomes, however a receiver answers', async () => {
  const { observers, render } = createMetrics();
  const attempts = [
    { ok: true, status: 204, code: 'http_204' },
    { ok: false, status: 410, code: 'http_410' },
    { ok: false, status: 451, code: 'http_451' },
    { ok: false, status: 599, code: 'http_599' },
    { ok: false, status: 302, code: 'http_302' },
    { ok: false, status: 999, code: 'http_999' },
    { ok: false, code: 'timeout' },
    { ok: false, code: 'dns_failed' },
    { ok: false, code: 'tls_failed' },
  ];
  const poster = { forget: () => undefined, post: async () => ({ ...attempts.shift()!, ...REST }) };
  const { post } = observedPoster(poster, observers.observeWebhook);
  while (attempts.length > 0) await post('lane', {} as Delivery);
  const { body } = await render();
  const count = (outcome: string) =>
    sample(body, `webhook_attempt_duration_seconds_count{outcome="${outcome}"}`);
  expect(WEBHOOK_OUTCOMES.map(count)).toEqual(['1', '2', '1', '2', '1', '2']);
  expect(sample(body, 'webhook_attempt_duration_seconds_sum{outcome="delivered"}')).toBe('1.5');
});

it('serves metrics and health on a port of its own', async () => {
  let ready: Readiness = { state: 'ready', checks: { postgres: 'up', temporal: 'up' } };
  const server = createMetricsServer({ metrics: createMetrics(), readiness: async () => ready });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
      method,
    });
    return { status: response.status, text: await response.text() };
  };
  expect((await get('/metrics')).text).toContain('nodejs_eventloop_lag_seconds');
  expect(await get('/health')).toEqual({
    status: 200,
    text: JSON.stringify({ status: 'ok', build: buildId() }),
  });
  expect(await get('/health/ready')).toEqual({
    status: 200,
    text: '{"status":"ok","checks":{"postgres":"up","temporal":"up"}}',
  });
  ready = { state: 'ending', checks: { postgres: 'up', temporal: 'down' } };
  const ending = await get('/health/ready');
  expect([ending.status, JSON.parse(ending.text)]).toEqual([
    503,
    {
      code: 'unavailable',
      message: 'The process is stopping.',
      requestId: expect.any(String),
      checks: ready.checks,
    },
  ]);
  expect((await get('/else')).status).toBe(404);
  expect((await get('/metrics', 'POST')).status).toBe(405);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
