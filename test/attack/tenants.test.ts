/** @long calls every operation with the ids of another tenant, some thousand calls. */
import type { Address } from 'viem';
import { createRateLimiter } from '../../src/kernel/rate-limit';
import { type Answer, type Client, DECIDED_AT_ONCE, type TestApi, testApi } from '../support/api';
import { startTestChain, type TestChain } from '../support/chain';
import { withLocalNetwork } from '../support/networks';
import { digest } from './digest';
import { type Operation, operationsOf, type Place } from './operations';
import { KINDS, type Kind, type Records, recordsOf } from './records';
import { type Draft, draftsOf, send } from './requests';

/**
 * Tests decisions part 5, 7: a tenant never sees or changes another tenant's data. A stranger calls every operation of
 * `/openapi.json` that names something of a tenant, with a valid body and the victim's real ids among its own.
 */
const SEED = Number(process.env['FC_SEED'] ?? 20_260_131);

const VICTIM = 'Zebedeus';
const STRANGER = 'Barnabas';

let api: TestApi;
let victim: Client;
let stranger: Client;
let admin: Client;
let operations: Operation[];
let chain: TestChain;
let token: Address;

/** A minute between any two requests, because a refusal for their number would hide an answer. */
function generous() {
  let at = 0;
  return createRateLimiter(() => (at += 60_000));
}

beforeAll(async () => {
  [api, chain] = await Promise.all([testApi({ ...DECIDED_AT_ONCE, spend: generous() }), startTestChain()]);
  ({ token } = await withLocalNetwork(api, chain));
  [victim, stranger, admin] = await Promise.all([api.client(), api.client(), api.client('admin')]);
  operations = operationsOf((await api.call('GET', '/openapi.json')).body);
});
afterAll(() => Promise.all([api.close(), chain.stop()]));

let keys = 0;
const newKey = () => `key-${(keys += 1)}`;

/** Result of a foreign id in a place. */
type Outcome = 'not found' | 'finds nothing' | 'is its own' | 'is for anybody';

function outcomeOf({ operation, body }: Draft, { in: at, kind }: Place): Outcome {
  // A card and an account together select the transactions of either, so a foreign one adds nothing.
  if (operation.path === '/v1/transactions') return 'is its own';
  // A list filters within the records of its caller.
  if (at === 'query' && operation.lists) return 'finds nothing';
  // Two tenants may use the same name for their records.
  if (kind === 'externalId') return 'is its own';
  // A settlement of something unknown is a force post (decisions part 3). A decline refers to nothing.
  if (kind === 'reference' && ['settle', 'decline'].includes(String(body?.['type']))) return 'is its own';
  // The operation asks whether the tenant may issue, and the answer is no.
  if (operation.path === '/v2/cards/issue/capability' && kind === 'bin') return 'is its own';
  // The sandbox plays a payer outside, who may know any IBAN.
  if (kind === 'iban' || kind === 'network') return 'is for anybody';
  return 'not found';
}

/** Returns all combinations of items. */
const choices = <T>(items: T[]): T[][] =>
  items.reduce<T[][]>((all, item) => [...all, ...all.map((some) => [...some, item])], [[]]).slice(1);

/** The record that each list must show to its owner. */
const NEEDED: Record<string, Kind> = {
  'GET /v1/accounts': 'account',
  'GET /v2/accounts': 'account',
  'GET /v1/cards': 'card',
  'GET /v1/cardholders': 'cardholder',
  'GET /v1/users/{id}/cardholder': 'cardholder',
  'GET /v1/exchange/orders': 'exchangeOrder',
  'GET /v1/exchange/withdrawals': 'exchangeWithdrawal',
};

/** Returns the ids of a request, all of one tenant. */
async function idsOf({ operation, places }: Draft, records: Records): Promise<Record<string, string>> {
  const needed = NEEDED[operation.name];
  if (needed) await records.id(needed);
  const ids: Record<string, string> = {};
  for (const { name, kind } of places) ids[name] = await records.id(kind);
  return ids;
}

/** Returns what an answer shows of a tenant: its ids, or the word in all its texts. */
async function shownOf(records: Records, { text }: Answer): Promise<string[]> {
  const theirs = [...(await records.made()), records.client.clientId, records.mark];
  return theirs.filter((one) => text.toLowerCase().includes(one.toLowerCase()));
}

const victims = () => recordsOf(api, victim, VICTIM);
const strangers = () => recordsOf(api, stranger, STRANGER);

/** Returns every valid request that names something of a tenant. */
const drafts = (): Draft[] =>
  operations.flatMap((operation) => draftsOf(api, operation, SEED)).filter(({ places }) => places.length > 0);

/** Pays first, because a deposit is reported by the hash of a payment on the chain. */
async function paidFor(draft: Draft, { address = '' }: Record<string, string>): Promise<Draft> {
  if (draft.operation.name !== 'POST /v1/wallets/deposit') return draft;
  return { ...draft, body: { ...draft.body, txHash: await chain.pay(token, address, 5_000_000n) } };
}

const told = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();

it('refuses every foreign id, alone or among own ids, and changes nothing', async () => {
  const wrong: string[] = [];
  const ready = [];
  for (const draft of drafts()) {
    const [theirs, own] = [victims(), strangers()];
    ready.push({ draft, theirs, all: { theirs: await idsOf(draft, theirs), own: await idsOf(draft, own) } });
  }
  let before = await digest(api);
  for (const { draft, theirs, all } of ready) {
    for (const foreign of choices(draft.places)) {
      const outcomes = new Set(foreign.map((place) => outcomeOf(draft, place)));
      const expected = expectedOf(draft, outcomes);
      if (expected === undefined) continue;
      const names = foreign.map(({ name }) => name);
      const ids = { ...all.own, ...Object.fromEntries(names.map((name) => [name, all.theirs[name]])) };
      const answer = await send(stranger, draft, ids as Record<string, string>, newKey());
      const got = told(answer) + (answer.body?.data ? ` with ${answer.body.data.length}` : '');
      const shown = await shownOf(theirs, answer);
      if (got !== expected || shown.length > 0)
        wrong.push(`${draft.what}, foreign ${names.join()}: ${got}, not ${expected}; shows ${shown.join()}`);
    }
    const after = await digest(api);
    const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
    if (changed.length > 0) wrong.push(`${draft.what} changes ${changed.join()}`);
    before = after;
  }
  expect(wrong).toEqual([]);
}, 180_000);

/** Returns the expected refusal. Undefined when the request is valid: see the next test. */
function expectedOf({ operation }: Draft, outcomes: Set<Outcome>): string | undefined {
  if (operation.role === 'admin') return '403 forbidden';
  if (outcomes.has('not found')) return '404 not_found';
  return outcomes.has('finds nothing') ? '200 with 0' : undefined;
}

/** Gives the record another name, because a name can be used once. */
const renamed = ({ places }: Draft, ids: Record<string, string>) => {
  const name = places.find(({ in: at, kind }) => at === 'body' && kind === 'externalId')?.name;
  return name === undefined ? ids : { ...ids, [name]: newKey() };
};

/** Proves that the bodies are valid and the ids real. Otherwise the test above could pass without a check. */
it('serves the same request to the owner of the ids, whatever keys others use', async () => {
  const wrong: string[] = [];
  for (const draft of drafts()) {
    const { role, success, lists } = draft.operation;
    const [theirs, own] = [victims(), strangers()];
    const key = newKey();
    for (const [records, client] of [
      [theirs, victim],
      [own, stranger],
    ] as const) {
      const ids = renamed(draft, await idsOf(draft, records));
      const answer = await send(
        role === 'admin' ? admin : client,
        await paidFor(draft, ids),
        ids,
        role === 'admin' ? newKey() : key,
      );
      if (!success.includes(answer.status)) wrong.push(`${draft.what} by ${records.mark}: ${answer.text}`);
      if (lists && draft.places.some(({ in: at }) => at === 'query') && answer.body.data?.length === 0)
        wrong.push(`${draft.what} by ${records.mark} finds nothing`);
      if (answer.headers.has('x-idempotent-replayed')) wrong.push(`${draft.what}: another tenant's answer`);
      const other = await shownOf(records === theirs ? strangers() : victims(), answer);
      if (other.length > 0) wrong.push(`${draft.what} by ${records.mark} shows ${other.join()}`);
    }
  }
  expect(wrong).toEqual([]);
}, 180_000);

it("takes another tenant's name for a record as its own", async () => {
  const wrong: string[] = [];
  let tried = 0;
  for (const draft of drafts()) {
    for (const place of draft.places.filter((one) => outcomeOf(draft, one) === 'is its own')) {
      tried += 1;
      const [theirs, own] = [victims(), strangers()];
      const foreign = await theirs.id(place.kind);
      const ids = await idsOf(draft, own);
      const mentions = [...(await theirs.made()), victim.clientId].filter((id) => id !== foreign);
      const before = await digest(api, mentions);
      const answer = await send(stranger, draft, { ...ids, [place.name]: foreign }, newKey());
      const shown = (await shownOf(theirs, answer)).filter((text) => !foreign.includes(text));
      if (!draft.operation.success.includes(answer.status)) wrong.push(`${draft.what}: ${answer.text}`);
      if (shown.length > 0) wrong.push(`${draft.what} shows ${shown.join()}`);
      expect([draft.what, await digest(api, mentions)]).toEqual([draft.what, before]);
    }
  }
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(4);
}, 180_000);

it('finds no record of another tenant in any path', async () => {
  const [theirs, own] = [victims(), strangers()];
  for (const kind of KINDS) await theirs.id(kind);
  const wrong: string[] = [];
  const paths = operations.filter(({ places }) => places.some(({ in: at }) => at === 'path'));
  const requests = paths.flatMap((operation) => draftsOf(api, operation, SEED).slice(0, 1));
  // Creates the stranger's own records first, because each of its requests will be refused.
  for (const draft of requests) await idsOf(draft, own);
  const before = await digest(api);
  for (const draft of requests) {
    const ids = await idsOf(draft, own);
    for (const place of draft.places.filter(({ in: at }) => at === 'path')) {
      for (const kind of KINDS) {
        const answer = await send(stranger, draft, { ...ids, [place.name]: await theirs.id(kind) }, newKey());
        const shown = await shownOf(theirs, answer);
        const expected = draft.operation.role === 'admin' ? 403 : 404;
        if (answer.status !== expected || shown.length > 0)
          wrong.push(`${draft.what}, ${place.name} a ${kind}: ${told(answer)}; shows ${shown.join()}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(await digest(api)).toEqual(before);
}, 180_000);

it('lists no record of another tenant', async () => {
  const theirs = victims();
  for (const kind of KINDS) await theirs.id(kind);
  const nobody = await api.client();
  const lists = operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
  expect(lists.length).toBeGreaterThan(5);
  for (const { path, role } of lists) {
    const answer = await nobody.call('GET', `${path}?limit=100`);
    expect([
      path,
      answer.status < 500,
      await shownOf(theirs, answer),
      role !== 'admin' || answer.status === 403,
    ]).toEqual([path, true, [], true]);
  }
});

it('shows a company without a virtual IBAN nothing of companies with one', async () => {
  const theirs = victims();
  await theirs.id('ibanPayout');
  const poor = await api.client();
  const requests = operations
    .filter(({ path }) => path.includes('{companyId}'))
    .flatMap((operation) => draftsOf(api, operation, SEED));
  expect(requests.length).toBeGreaterThan(4);
  for (const draft of requests) {
    const answer = await send(poor, draft, await idsOf(draft, theirs), newKey());
    expect([draft.what, told(answer), await shownOf(theirs, answer)]).toEqual([
      draft.what,
      '403 capability_disabled',
      [],
    ]);
  }
});

it('fails when an operation has a name of unknown kind', () => {
  const document = (parameters: object[], properties: object) => ({
    paths: {
      '/v1/things/{thingId}': {
        post: {
          'x-role': 'client',
          parameters,
          requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } },
          responses: { 200: {} },
        },
      },
    },
  });
  expect(() => operationsOf(document([{ in: 'path', name: 'thingId' }], {}))).toThrow('thingId (path)');
  expect(() => operationsOf(document([{ in: 'query', name: 'walletId' }], {}))).toThrow('walletId (query)');
  expect(() => operationsOf(document([], { invoiceId: { type: 'string' } }))).toThrow('invoiceId (body)');
  expect(() => operationsOf(document([], { amount: { type: 'string' } }))).not.toThrow();
});
