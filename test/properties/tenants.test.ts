import fc from 'fast-check';
import { apiRoutes } from '../../src/composition';
import { type Client, type TestApi, testApi } from '../support/api';
import { activeCard, DEMO_BIN, simulate } from '../support/cards';

/** Decisions part 5, 7: one tenant never sees, or changes, anything of another. */
const SEED = Number(process.env['FC_SEED'] ?? 20_260_131);

/** One record of each kind that a tenant has. */
interface Ids {
  card: string;
  user: string;
  account: string;
  otherAccount: string;
  cardholder: string;
  transaction: string;
  reference: string;
}

interface Request {
  method: string;
  path: string;
  body?: Record<string, unknown>;
}

/** Every endpoint that takes the id of a record, with `{kind}` where it stands. */
const REQUESTS: Request[] = [
  { method: 'GET', path: '/v1/cards/{card}' },
  { method: 'GET', path: '/v1/cards/{card}/transactions' },
  { method: 'GET', path: '/v1/cards/{card}/decline-rate' },
  { method: 'GET', path: '/v1/cards/{card}/sensitive' },
  { method: 'GET', path: '/v1/cards/transactions/{transaction}' },
  { method: 'DELETE', path: '/v1/cards/{card}' },
  { method: 'POST', path: '/v1/cards/{card}/freeze' },
  { method: 'POST', path: '/v1/cards/{card}/unfreeze' },
  { method: 'POST', path: '/v1/cards/{card}/topup', body: { amount: '1.00' } },
  { method: 'POST', path: '/v1/cards/{card}/withdraw', body: { amount: '1.00' } },
  { method: 'POST', path: '/v1/cards/{card}/tokenize', body: { wallet: 'apple_pay' } },
  {
    method: 'POST',
    path: '/v1/cards',
    body: { userId: '{user}', accountId: '{account}', cardholderId: '{cardholder}' },
  },
  { method: 'GET', path: '/v1/accounts/{account}/transactions' },
  { method: 'GET', path: '/v2/accounts/{account}/balance' },
  {
    method: 'POST',
    path: '/v1/users/transfer',
    body: { fromAccountId: '{account}', toAccountId: '{otherAccount}', amount: '1.00' },
  },
  { method: 'GET', path: '/v1/users/{user}' },
  { method: 'PATCH', path: '/v1/users/{user}', body: { meta: { firstName: 'Eve' } } },
  { method: 'PATCH', path: '/v1/users/{user}/status', body: { status: 'blocked' } },
  { method: 'GET', path: '/v1/users/{user}/account/transactions' },
  { method: 'GET', path: '/v1/users/{user}/card/transactions' },
  { method: 'POST', path: '/v1/users/{user}/accounts', body: { currency: 'GBP' } },
  { method: 'POST', path: '/v1/users/{user}/bins', body: { bin: DEMO_BIN } },
  { method: 'GET', path: '/v1/users/{user}/cardholder' },
  { method: 'POST', path: '/v1/users/{user}/cardholder', body: { accountId: '{account}', bin: DEMO_BIN } },
  { method: 'GET', path: '/v1/users/{user}/kyc' },
  { method: 'GET', path: '/v1/users/{user}/kyc/documents' },
  { method: 'POST', path: '/v1/users/{user}/kyc/submit' },
  { method: 'GET', path: '/v1/cardholders/{cardholder}' },
  { method: 'PATCH', path: '/v1/cardholders/{cardholder}', body: { firstName: 'Eve' } },
  { method: 'POST', path: '/v1/cardholders/{cardholder}/submit' },
  { method: 'POST', path: '/v1/cardholders/{cardholder}/retry' },
  ...['authorization', 'cancel', 'refund'].map((type) => ({
    method: 'POST',
    path: '/sandbox/transactions',
    body: { type, cardId: '{card}', amount: '1.00', referenceId: '{reference}' },
  })),
  {
    method: 'POST',
    path: '/sandbox/transactions',
    body: { type: 'settle', cardId: '{card}', amount: '1.00' },
  },
  {
    method: 'POST',
    path: '/sandbox/transactions',
    body: { type: 'decline', cardId: '{card}', amount: '1.00' },
  },
];

/** Names in these are no records of a tenant. */
const NOT_OF_TENANTS = /^\/(v1\/bins|v1\/networks|v1\/wallets|v1\/gas-station|openapi|docs|health|checkout)/;

let api: TestApi;
let stranger: Client;
let theirs: Ids;
let own: Ids;

beforeAll(async () => {
  api = await testApi();
  stranger = await api.client();
  theirs = await recordsOf(await api.client());
  own = await recordsOf(stranger);
});
afterAll(() => api.close());

async function recordsOf(client: Client): Promise<Ids> {
  const {
    id: card,
    userId: user,
    accountId: account,
    cardholderId: cardholder,
  } = await activeCard(api, client);
  const authorized = await simulate(client, { cardId: card, type: 'authorization', amount: '5.00' });
  await simulate(client, {
    cardId: card,
    type: 'settle',
    amount: '2.00',
    referenceId: authorized.body.referenceId,
  });
  const opened = await client.call('POST', `/v1/users/${user}/accounts`, { currency: 'USD' });
  const { id: transaction, referenceId: reference } = authorized.body;
  return { card, user, account, otherAccount: opened.body.id, cardholder, transaction, reference };
}

const KINDS = ['card', 'user', 'account', 'otherAccount', 'cardholder', 'transaction', 'reference'] as const;
const kindsIn = (request: Request) => KINDS.filter((kind) => JSON.stringify(request).includes(`{${kind}}`));

function filled(request: Request, ids: Ids): Request {
  const text = JSON.stringify(request).replaceAll(
    /\{(\w+)\}/g,
    (all, kind: string) => ids[kind as keyof Ids] ?? all,
  );
  return JSON.parse(text) as Request;
}

function ask({ method, path, body }: Request) {
  const given = body ?? (method === 'GET' || method === 'DELETE' ? undefined : {});
  return stranger.call(method, path, given, { 'x-idempotency-key': `k${Math.random()}` });
}

/** A digest of every row that is the other tenant's. */
async function stateOf(ids: Ids): Promise<string> {
  const [row] = await api.database.query<{ tenant: string }>(
    'select tenant_id as tenant from cards where id = $1',
    [ids.card],
  );
  const tables = await api.database.query<{ name: string }>(
    `select table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'tenant_id' order by 1`,
  );
  const parts = [
    ...tables.map(({ name }) => `select t::text as line from "${name}" t where tenant_id = $1`),
    'select l::text from ledger_legs l join ledger_accounts a on a.id = l.account_id where a.tenant_id = $1',
    'select a::text from authorizations a join cards c on c.id = a.card_id where c.tenant_id = $1',
  ];
  const [digest] = await api.database.query<{ digest: string }>(
    `select md5(string_agg(line, E'\\n' order by line)) as digest from (${parts.join(' union all ')}) lines`,
    [row?.tenant],
  );
  return digest?.digest ?? '';
}

const shows = (text: string): string[] => Object.values(theirs).filter((id) => text.includes(id));

it(`is told 404 for every id of another tenant, alone or among its own (seed ${SEED})`, async () => {
  const before = await stateOf(theirs);
  const cases = fc.constantFrom(...REQUESTS).chain((request) =>
    fc.record({
      request: fc.constant(request),
      foreign: fc.subarray([...kindsIn(request)], { minLength: 1 }),
    }),
  );
  const everyOne = REQUESTS.map((request) => ({ request, foreign: kindsIn(request) }));
  await fc.assert(
    fc.asyncProperty(cases, async ({ request, foreign }) => {
      const ids = { ...own, ...Object.fromEntries(foreign.map((kind) => [kind, theirs[kind]])) };
      const asked = filled(request, ids);
      const answer = await ask(asked);
      expect([asked.method, asked.path, answer.status, answer.body.code]).toEqual([
        asked.method,
        asked.path,
        404,
        'not_found',
      ]);
    }),
    { seed: SEED, numRuns: 60 + everyOne.length, examples: everyOne.map((one) => [one] as [typeof one]) },
  );
  expect(await stateOf(theirs)).toBe(before);
});

it('settles nothing of another tenant by its reference', async () => {
  const before = await stateOf(theirs);
  const body = { type: 'settle', cardId: own.card, amount: '1.00', referenceId: theirs.reference };
  const settled = await simulate(stranger, body);
  expect([settled.status, settled.body.cardId]).toEqual([201, own.card]);
  expect(shows(settled.text)).toEqual([]);
  expect(await stateOf(theirs)).toBe(before);
});

it('lists nothing of another tenant, whatever it filters by', async () => {
  const query = new URLSearchParams({
    limit: '100',
    userId: theirs.user,
    accountId: theirs.account,
    cardholderId: theirs.cardholder,
    cardId: theirs.card,
  });
  const lists = apiRoutes(api.services).filter(({ method, path }) => method === 'GET' && !path.includes('{'));
  expect(lists.length).toBeGreaterThan(5);
  for (const { path } of lists) {
    for (const asked of [path, `${path}?${query.toString()}`]) {
      const answer = await stranger.call('GET', asked);
      expect([asked, answer.status < 500, shows(answer.text)]).toEqual([asked, true, []]);
    }
  }
});

/** Also of endpoints that this file does not know: with no id of another tenant does any of them succeed. */
it('succeeds nowhere with an id of another tenant', async () => {
  const before = await stateOf(theirs);
  const routes = apiRoutes(api.services).filter(
    ({ path }) => path.includes('{') && !NOT_OF_TENANTS.test(path),
  );
  expect(routes.length).toBeGreaterThan(20);
  for (const { method, path } of routes) {
    for (const id of Object.values(theirs)) {
      const asked = { method, path: path.replaceAll(/\{\w+\}/g, id) };
      const answer = await ask(asked);
      expect([asked, answer.status >= 400 && answer.status < 500, shows(answer.text)]).toEqual([
        asked,
        true,
        [],
      ]);
    }
  }
  expect(await stateOf(theirs)).toBe(before);
}, 60_000);
