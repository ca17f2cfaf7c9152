/** @long @isolated launches the product. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { spanIdOfRun } from '../../src/kernel/tracing/traceparent';
import { SDK_SERIES } from '../docs/foreign-series';
import { type Collector, isBelow, type ReceivedSpan, startCollector } from '../support/outside/collector';
import { type Receiver, startReceiver } from '../support/outside/receiver';
import { shareBundles, startWhole, type Whole } from '../support/product';
import { giveOwnPorts, temporaryFolder } from '../support/servers';
import { killAll, START_MS } from './process';

/** A running installation as an operator sees it: one scrape of metrics, and the trace of a payout. */

let whole: Whole;
let dataDir: string;
let collector: Collector;
let receiver: Receiver;
beforeAll(async () => {
  dataDir = temporaryFolder('seen');
  [collector, receiver] = await Promise.all([startCollector(), startReceiver({ http: true })]);
  await giveOwnPorts(dataDir);
  await shareBundles(dataDir);
  whole = await startWhole(dataDir, {
    CHAIN: 'off',
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_BSP_SCHEDULE_DELAY: '200',
  });
}, START_MS);
afterAll(async () => {
  await whole?.stop();
  killAll();
  await Promise.all([collector.close(), receiver.close()]);
  rmSync(dataDir, { recursive: true, force: true });
}, START_MS);

async function call(role: 'client' | 'admin', method: string, path: string, body?: object, headers = {}) {
  const { clientId, clientSecret } = whole.credentials[role];
  const answer = await fetch(whole.credentials.baseUrl + path, {
    method,
    headers: {
      'x-client-id': clientId,
      'x-client-secret': clientSecret,
      'content-type': 'application/json',
      'x-idempotency-key': randomUUID(),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

const TRACE = 'ab'.repeat(16);
const SEPA = { name: 'Ada Byron', iban: 'DE89370400440532013000', bic: 'COBADEFF' };

it('a payout has the spans of API, workflow, activity, party and webhook under one trace id', async () => {
  const { data } = await call('client', 'GET', '/v1/accounts?ownerType=client&limit=100');
  const { id: accountId } = data.find(({ currency }: { currency: string }) => currency === 'EUR');
  await call('admin', 'POST', '/v1/accounts/admin-deposit', { accountId, amount: '2000.00', reason: 'test' });
  await call('client', 'POST', '/v1/webhooks', { url: `${receiver.url}/hook`, type: 'payout' });
  const asked = { method: 'sepa', amount: '901.02' };
  const { quoteId } = await call('client', 'POST', `/v2/accounts/${accountId}/payout-quote`, asked);
  const payout = await call(
    'client',
    'POST',
    `/v2/accounts/${accountId}/payouts`,
    { quoteId, destination: SEPA },
    { traceparent: `00-${TRACE}-${'cd'.repeat(8)}-01` },
  );
  const spans = () => collector.spans.filter(({ traceId }) => traceId === TRACE);
  const named = (name: string | RegExp) => spans().filter((span) => span.name.match(name));
  const isWhole = () => named(/^payoutLifecycle$/).length > 0 && named('webhook').length >= 2;
  for (let tries = 0; tries < 300 && !isWhole(); tries += 1) await sleep(200);
  expect(spans().map(({ name }) => name)).toEqual(expect.arrayContaining(['payoutLifecycle', 'webhook']));

  const [server] = named('createPayout');
  expect(server).toMatchObject({ kind: 2, parentSpanId: 'cd'.repeat(8) });
  const [start] = named('start payoutLifecycle');
  expect(isBelow(start!, server!, spans())).toBe(true);
  const [run] = named(/^payoutLifecycle$/);
  expect(run).toMatchObject({
    parentSpanId: start?.spanId,
    attributes: {
      'cardwright.workflow_type': 'payoutLifecycle',
      'cardwright.workflow_id': expect.stringContaining(payout.id),
    },
  });
  expect(run?.spanId).toBe(spanIdOfRun(run?.spanId ?? ''));
  const activities = named('advancePayout');
  expect(activities.map(({ parentSpanId }) => parentSpanId)).toEqual(activities.map(() => run?.spanId));
  expect(activities.length).toBeGreaterThan(0);
  const below = (parents: ReceivedSpan[]) =>
    spans().filter((span) => parents.some((parent) => isBelow(span, parent, spans())));
  expect(named('payouts order').length).toBeGreaterThan(0);
  expect(below(activities).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['transaction', 'payouts ask']),
  );
  expect(receiver.at('/hook').map(({ headers }) => String(headers['traceparent']).split('-')[1])).toEqual(
    receiver.at('/hook').map(() => TRACE),
  );
  for (const private_ of [SEPA.name, SEPA.iban, '901.02', whole.credentials.client.clientSecret])
    expect(collector.text()).not.toContain(private_);
}, 150_000);

it('log lines name the trace of their request', () => {
  const lines = whole.run
    .text()
    .split('\n')
    .filter((line) => line.includes(`"traceId":"${TRACE}"`));
  expect(lines.map((line) => (JSON.parse(line) as { route?: string }).route)).toContain(
    '/v2/accounts/{accountId}/payouts',
  );
});

it('one scrape has the product’s own metrics, and those of the Temporal SDK', async () => {
  const missing = async () => {
    const text = await (await fetch(whole.metricsUrl)).text();
    const wanted = [
      'build_info{build',
      'metrics_reading_up{reading="temporal_sdk"} 1',
      'money_moved_total{kind="withdraw/payout",currency="EUR"} 901.02',
      'transfer_statuses_total{kind="payout",status="completed"} 1',
      'webhook_attempt_duration_seconds_count{outcome="delivered"}',
      // No request has failed, and the SDK shows counters only from their first count on.
      ...Object.keys(SDK_SERIES).filter((name) => name !== 'temporal_request_failure_total'),
    ];
    return wanted.filter((start) => !text.split('\n').some((line) => line.startsWith(start)));
  };
  // The first activities that are no local ones are those of the schedules, which run after the clock has moved.
  await call('admin', 'POST', '/sandbox/clock', { advance: 'PT1M' });
  for (let tries = 0; tries < 200 && (await missing()).length > 0; tries += 1) await sleep(500);
  expect(await missing()).toEqual([]);
  const text = await (await fetch(whole.metricsUrl)).text();
  const families = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(families.length).toBe(new Set(families).size);
  const labels = text.split('\n').filter((line) => line.startsWith('temporal_num_pollers'));
  for (const label of ['task_queue=', 'poller_type=']) expect(labels[0]).toContain(label);
}, 150_000);
