import { hash } from 'node:crypto';
import { fingerprint, keyName } from '../../src/kernel/idempotency';
import { type Client, type TestApi, testApi } from '../support/api';
import { enabled } from '../transfers/iban/support';
import { operationsOf, type Place } from './operations';
import { type Draft, draftsOf, send } from './requests';

/**
 * Tests decisions part 1, Idempotency: a repeat gets the stored answer, whatever the state of the named records. Each
 * operation with a key is repeated while no named record exists and no chain is reachable, after its key has stored an
 * answer.
 */
const SEED = Number(process.env['FC_SEED'] ?? 20_260_131);
const STORED = { status: 200, body: '{"stored":true}' };

let api: TestApi;
let clients: Record<string, Client>;
let document: any;
beforeAll(async () => {
  api = await testApi();
  clients = { client: await api.client(), admin: await api.client('admin') };
  await enabled(api, clients['client'] as Client);
  document = (await api.call('GET', '/openapi.json')).body;
});
afterAll(() => api.close());

/** Whether an operation stores its answer under a key. */
const takesKey = ({ operation: { path, method } }: Draft): boolean =>
  method !== 'GET' &&
  (document.paths[path][method.toLowerCase()].parameters ?? []).some(
    ({ in: at, name }: { in: string; name: string }) => at === 'header' && name === 'x-idempotency-key',
  );

/** Returns ids of records that do not exist, except for the tenant's own id. */
function namedBy({ operation: { path }, places }: Draft, { clientId }: Client): Record<string, string> {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const names = [...inPath, ...places.map(({ name }) => name)];
  return { ...Object.fromEntries(names.map((name) => [name, 'nowhere'])), companyId: clientId };
}

/** Adds values that pattern and name alone do not determine. */
function completed(draft: Draft): Draft {
  const { name } = draft.operation;
  if (name === 'POST /v1/webhooks')
    return { ...draft, body: { ...draft.body, url: 'https://shop.example/' } };
  if (name !== 'POST /v1/webhooks/resend') return draft;
  return { ...draft, operation: { ...draft.operation, path: `${RESEND}?fromDate=${FROM_DATE}` } };
}
const RESEND = '/v1/webhooks/resend';
const FROM_DATE = '2026-01-01T00:00:00.000Z';

/** Returns the fingerprint of the request as it is sent. */
function fingerprintOf({ operation, body = {}, form, places }: Draft, ids: Record<string, string>): Buffer {
  const at = (where: Place['in']) =>
    places.filter((place) => place.in === where).map(({ name }) => [name, ids[name] ?? '']);
  const [, sent = ''] = operation.path.split('?');
  const query = Object.fromEntries([...at('query'), ...new URLSearchParams(sent)]);
  const fields = Object.entries<unknown>({ ...body, ...Object.fromEntries(at('body')) });
  if (!form) return fingerprint(Object.fromEntries(fields), query);
  const texts = fields.filter(([, value]) => !Buffer.isBuffer(value));
  const files = fields.flatMap(([name, value]) =>
    Buffer.isBuffer(value) ? [`${name} ${hash('sha256', value)}`] : [],
  );
  return fingerprint(Object.fromEntries(texts.map(([name, value]) => [name, String(value)])), query, files);
}

async function store(draft: Draft, by: Client, ids: Record<string, string>, key: string): Promise<void> {
  const { method, path } = draft.operation;
  const [pattern = ''] = path.split('?');
  const scope = `${method} ${pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')}`;
  await api.database.query(
    `insert into idempotency_keys (name, fingerprint, status, body, permanent) values ($1, $2, $3, $4, false)`,
    [keyName(by.clientId, scope, key), fingerprintOf(draft, ids), STORED.status, STORED.body],
  );
}

it('answers a repeat of every operation with a key from storage, without reading anything else', async () => {
  const drafts = operationsOf(document)
    .flatMap((operation) => draftsOf(api, operation, SEED))
    .filter(takesKey)
    .map(completed);
  const wrong: string[] = [];
  for (const [number, draft] of drafts.entries()) {
    const client = clients[draft.operation.role] as Client;
    const [key, ids] = [`repeat-${number}`, namedBy(draft, client)];
    await store(draft, client, ids, key);
    const { status, text, headers } = await send(client, draft, ids, key);
    if (status !== STORED.status || text !== STORED.body || headers.get('x-idempotent-replayed') !== 'true')
      wrong.push(`${draft.what}: ${status} ${text}`);
  }
  expect(drafts.length).toBeGreaterThan(80);
  expect(wrong).toEqual([]);
});
