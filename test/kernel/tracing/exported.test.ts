import { SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace-base';
import { tracedDatabase } from '../../../src/kernel/tracing/database';
import { createTracing, type Tracing } from '../../../src/kernel/tracing/otlp';
import {
  ATTRIBUTE_NAMES,
  beginTrace,
  isTracing,
  presentTrace,
  useTracer,
  withinSpan,
} from '../../../src/kernel/tracing/trace';
import { readTraceparent } from '../../../src/kernel/tracing/traceparent';
import { type Client, type TestApi, testApi } from '../../support/api';
import { activeCard } from '../../support/cards';
import { isBelow, type ReceivedSpan } from '../../support/outside/collector';
import { type Receiver, startReceiver } from '../../support/outside/receiver';
import { dispatching, register } from '../../tenants/webhooks/support';
import { create, fundedAccount, look, SEPA } from '../../transfers/payouts/support';

/** In memory, because Jest refuses the dynamic import of the real exporter. `test/startup/seen.test.ts` has the real one. */
const memory = new InMemorySpanExporter();
let receiver: Receiver;
let tracing: Tracing;
let end: () => void;
let api: TestApi;
let client: Client;
beforeAll(async () => {
  receiver = await startReceiver();
  tracing = createTracing({ endpoint: '', role: 'test', exporter: memory });
  end = useTracer(tracing);
  api = await testApi({}, tracedDatabase);
  client = await api.client();
});
afterAll(async () => {
  await api.close();
  end();
  await tracing.stop();
  await receiver.close();
});

const CALLER = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
const traceparent = (flags = '01', traceId = CALLER.traceId) => `00-${traceId}-${CALLER.spanId}-${flags}`;

/** The spans that were exported since the last reset. */
async function exported(): Promise<ReceivedSpan[]> {
  await tracing.flush();
  return memory.getFinishedSpans().map((span) => ({
    name: span.name,
    ...span.spanContext(),
    parentSpanId: span.parentSpanContext?.spanId,
    kind: span.kind + 1, // as on the wire
    attributes: Object.fromEntries(
      Object.entries(span.attributes).map(([key, value]) => [key, String(value)]),
    ),
    failed: span.status.code === SpanStatusCode.ERROR,
  }));
}

const ofTrace = async (traceId: string) => (await exported()).filter((span) => span.traceId === traceId);

/** Everything that an exporter receives, as text. */
async function exportedText(): Promise<string> {
  await tracing.flush();
  return JSON.stringify(
    memory
      .getFinishedSpans()
      .map(({ name, attributes, status, events, links, resource }) => [
        ...[name, attributes, status, events, links, resource.attributes],
      ]),
  );
}

it('follows a payout from the caller over its command and its party to the webhook', async () => {
  await register(client, `${receiver.url}/hook`, 'payout');
  const accountId = await fundedAccount(api, client);
  const { body } = await create(
    client,
    accountId,
    {},
    { 'x-idempotency-key': 'traced', traceparent: traceparent() },
  );
  const command = api.commands.find(({ workflowId }) => workflowId.includes(body.id));
  const [stored] = await api.database.query<{ traceparent: string }>(
    'select traceparent from workflow_commands where number = $1',
    [command?.number],
  );
  expect(command?.traceparent).toBe(stored?.traceparent);
  expect(readTraceparent(stored?.traceparent ?? '')?.traceId).toBe(CALLER.traceId);
  // The step of its workflow, in the trace of the command.
  await tracing.continued(command?.traceparent, () => look(api, body.id));
  const dispatcher = dispatching(api, { ca: receiver.ca });
  await receiver.until(() => receiver.at('/hook').length > 0);
  await dispatcher.stop();

  const spans = await ofTrace(CALLER.traceId);
  const [server] = spans.filter(({ kind }) => kind === 2);
  expect(server).toMatchObject({
    name: 'createPayout',
    parentSpanId: CALLER.spanId,
    attributes: { 'http.response.status_code': '201', 'http.route': '/v2/accounts/{accountId}/payouts' },
  });
  const below = spans.filter((span) => isBelow(span, server!, spans));
  expect(below).toHaveLength(spans.length - 1);
  expect(below.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['transaction', 'payouts order', 'webhook']),
  );
  const [webhook] = spans.filter(({ name }) => name === 'webhook');
  expect(webhook?.attributes).toEqual({
    'cardwright.event': expect.any(String),
    'cardwright.outcome': 'delivered',
  });
  // The receiver's own trace continues the attempt.
  expect(readTraceparent(String(receiver.at('/hook')[0]?.headers['traceparent']))).toEqual({
    traceId: CALLER.traceId,
    spanId: expect.any(String),
    sampled: true,
  });
});

it('begins a trace of its own without a caller’s, or with a broken one', async () => {
  for (const given of ['', 'nonsense', traceparent('01', '0'.repeat(32))]) {
    const known = (await exported()).length;
    await client.call('GET', '/v1/accounts', undefined, given ? { traceparent: given } : {});
    // Other operations are left out: a client of another test may still call the former owner of this port.
    const made = (await exported()).slice(known).filter(({ name }) => name === 'listAccounts');
    expect(made.map(({ kind, parentSpanId }) => [kind, parentSpanId])).toEqual([[2, undefined]]);
  }
});

it('records nothing, and stores nothing, of a request whose caller does not sample', async () => {
  const traceId = 'ef'.repeat(16);
  await client.call('POST', '/v1/users', { meta: {} }, { traceparent: traceparent('00', traceId) });
  expect(await ofTrace(traceId)).toEqual([]);
});

it('gives the events of one batch of card events the trace of each request', async () => {
  const card = await activeCard(api, client);
  const ids = ['1', '2', '3'].map((digit) => digit.repeat(32));
  await Promise.all(
    ids.map((traceId) =>
      client.call(
        'POST',
        '/sandbox/transactions',
        { cardId: card.id, type: 'decline', amount: '1.00' },
        { traceparent: traceparent('01', traceId) },
      ),
    ),
  );
  const rows = await api.database.query<{ traceparent: string }>(
    `select traceparent from events where event = 'card_transaction' and type = 'decline' and tenant_id = $1`,
    [client.clientId],
  );
  const all = await api.database.query<{ traceparent: string | null }>(
    `select traceparent from events where event = 'card_transaction' and tenant_id = $1 and traceparent is not null`,
    [client.clientId],
  );
  const traces = [...rows, ...all].map((row) => readTraceparent(row.traceparent ?? '')?.traceId);
  expect([...new Set(traces)].filter((id) => ids.includes(id ?? '')).sort()).toEqual(ids);
});

it('exports only known attributes, and nothing of people, of money or of secrets', async () => {
  const names = new Set((await exported()).flatMap(({ attributes }) => Object.keys(attributes)));
  expect([...names].filter((name) => !(ATTRIBUTE_NAMES as readonly string[]).includes(name))).toEqual([]);
  const text = await exportedText();
  for (const secret of [SEPA.name, SEPA.iban, client.clientSecret, client.clientId, '100.00', 'Ada'])
    expect(text).not.toContain(secret);
});

it('tells the sort of an error, without its message', async () => {
  const failing = beginTrace({ kind: 'work', name: 'failing' }, traceparent(), () =>
    withinSpan({ kind: 'work', name: 'inner' }, async () => {
      throw new TypeError('the IBAN DE89 is wrong');
    }),
  );
  await expect(failing).rejects.toThrow('DE89');
  expect((await exported()).find(({ name }) => name === 'inner')).toMatchObject({
    failed: true,
    attributes: { 'error.type': 'TypeError' },
  });
  expect(await exportedText()).not.toContain('DE89');
});

it('outside of a trace only the work runs', async () => {
  const before = (await exported()).length;
  expect(await withinSpan({ kind: 'work', name: 'lonely' }, async () => presentTrace())).toBeUndefined();
  expect((await exported()).length).toBe(before);
  expect(isTracing()).toBe(true);
});
