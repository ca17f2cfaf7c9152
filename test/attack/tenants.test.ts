/** @long calls every operation with the ids of another tenant, some thousand calls. */
import type { Address } from 'viem';
import { type Answer, type Client, DECIDED_AT_ONCE, type TestApi, testApi } from '../support/api';
import { startTestChain, type TestChain } from '../support/chain';
import { withLocalNetwork } from '../support/networks';
import { digest } from './digest';
import { type Operation, operationsOf, type Place } from './operations';
import { KINDS, type Kind, type Records, recordsOf } from './records';
import { type Draft, draftsOf, send } from './requests';

/**
 * Decisions part 5, 7: one tenant never sees, or changes, anything of another. Every operation of `/openapi.json` that
 * names something of a tenant is called by a stranger, with a valid body and real ids of the victim among its own.
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

beforeAll(async () => {
  [api, chain] = await Promise.all([testApi(DECIDED_AT_ONCE), startTestChain()]);
  ({ token } = await withLocalNetwork(api, chain));
  [victim, stranger, admin] = await Promise.all([api.client(), api.client(), api.client('admin')]);
  operations = operationsOf((await api.call('GET', '/openapi.json')).body);
});
afterAll(() => Promise.all([api.close(), chain.stop()]));

let keys = 0;
const newKey = () => `key-${(keys += 1)}`;

/** What a foreign id in a place leads to. */
type Outcome = 'not found' | 'finds nothing' | 'is its own' | 'is for anybody';

function outcomeOf({ operation, body }: Draft, { in: at, kind }: Place): Outcome {
  // A list is filtered within what its caller has.
  if (at === 'query' && operation.lists) return 'finds nothing';
  // What tenants call their records: two may use one name.
  if (kind === 'externalId') return 'is its own';
  // A settlement of something unknown is a force post (decisions part 3); a decline follows nothing.
  if (kind === 'reference' && ['settle', 'decline'].includes(String(body?.['type']))) return 'is its own';
  // Whether they may issue on it is what is asked: they may not.
  if (operation.path === '/v2/cards/issue/capability' && kind === 'bin') return 'is its own';
  // The sandbox plays a payer out there, who may know any IBAN.
  if (kind === 'iban' || kind === 'network') return 'is for anybody';
  return 'not found';
}

/** Every choice of some of them. */
const choices = <T>(items: T[]): T[][] =>
  items.reduce<T[][]>((all, item) => [...all, ...all.map((some) => [...some, item])], [[]]).slice(1);

/** Lists show what is there: the record that each is to find. */
const NEEDED: Record<string, Kind> = {
  'GET /v1/accounts': 'account',
  'GET /v2/accounts': 'account',
  'GET /v1/cards': 'card',
  'GET /v1/cardholders': 'cardholder',
  'GET /v1/users/{id}/cardholder': 'cardholder',
  'GET /v1/exchange/orders': 'exchangeOrder',
  'GET /v1/exchange/withdrawals': 'exchangeWithdrawal',
};

/** The ids that a request takes, all of one tenant. */
async function idsOf({ operation, places }: Draft, records: Records): Promise<Record<string, string>> {
  const needed = NEEDED[operation.name];
  if (needed) await records.id(needed);
  const ids: Record<string, string> = {};
  for (const { name, kind } of places) ids[name] = await records.id(kind);
  return ids;
}

/** What an answer shows of a tenant: its ids, or the word that all its texts hold. */
async function shownOf(records: Records, { text }: Answer): Promise<string[]> {
  const theirs = [...(await records.made()), records.client.clientId, records.mark];
  return theirs.filter((one) => text.toLowerCase().includes(one.toLowerCase()));
}

const victims = () => recordsOf(api, victim, VICTIM);
const strangers = () => recordsOf(api, stranger, STRANGER);

/** Every valid request that names something of a tenant. */
const drafts = (): Draft[] =>
  operations.flatMap((operation) => draftsOf(api, operation, SEED)).filter(({ places }) => places.length > 0);

/** A deposit is told by the hash of a payment that the chain has. */
async function paidFor(draft: Draft, { address = '' }: Record<string, string>): Promise<Draft> {
  if (draft.operation.name !== 'POST /v1/wallets/deposit') return draft;
  return { ...draft, body: { ...draft.body, txHash: await chain.pay(token, address, 5_000_000n) } };
}

const told = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();

it('refuses every foreign id, alone or among its own, and changes nothing by it', async () => {
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

/** Undefined where the request is good: see the next test. */
function expectedOf({ operation }: Draft, outcomes: Set<Outcome>): string | undefined {
  if (operation.role === 'admin') return '403 forbidden';
  if (outcomes.has('not found')) return '404 not_found';
  return outcomes.has('finds nothing') ? '200 with 0' : undefined;
}

/** A body's own name for a record is taken once; this one is free. */
const renamed = ({ places }: Draft, ids: Record<string, string>) => {
  const name = places.find(({ in: at, kind }) => at === 'body' && kind === 'externalId')?.name;
  return name === undefined ? ids : { ...ids, [name]: newKey() };
};

/** Without this the test above could pass because its bodies are not valid, or its ids not real. */
it('serves the same request to whom the ids belong, whatever keys others use', async () => {
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

it('finds in no path what is of another tenant, of whatever kind', async () => {
  const [theirs, own] = [victims(), strangers()];
  for (const kind of KINDS) await theirs.id(kind);
  const wrong: string[] = [];
  const paths = operations.filter(({ places }) => places.some(({ in: at }) => at === 'path'));
  const requests = paths.flatMap((operation) => draftsOf(api, operation, SEED).slice(0, 1));
  // First the stranger's own: they are made once, for every request of these is refused.
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

it('lists nothing of another tenant', async () => {
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

it('tells a company without a virtual IBAN nothing of those that have one', async () => {
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

it('asks whoever adds an operation what its names are', () => {
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
