import { type Answer, type Client, type TestApi, testApi } from '../support/api';
import { activeCard, cardholder, simulate, type TestCard } from '../support/cards';

/** Decisions part 5, 3: 50 identical POSTs at once have one effect, and one answer to the byte. */
const AT_ONCE = 50;

interface Scene {
  client: Client;
  admin: Client;
  card: TestCard;
  referenceId: string;
  holder: Awaited<ReturnType<typeof cardholder>>;
  otherAccountId: string;
}

interface Post {
  what: string;
  by: 'client' | 'admin';
  path: (scene: Scene) => string;
  body: (scene: Scene) => Record<string, unknown>;
  status: number;
}

const sandbox = (what: string, body: (scene: Scene) => Record<string, unknown>, status = 201): Post => ({
  what,
  by: 'client',
  path: () => '/sandbox/transactions',
  body: (scene) => ({ cardId: scene.card.id, ...body(scene) }),
  status,
});

const client = (what: string, path: Post['path'], body: Post['body'], status = 201): Post => ({
  what,
  by: 'client',
  path,
  body,
  status,
});

const POSTS: Post[] = [
  sandbox('an authorization', () => ({ type: 'authorization', amount: '1.00' })),
  sandbox('a decline', () => ({ type: 'authorization', amount: '900.00' })),
  sandbox('a part of a settlement', ({ referenceId }) => ({ type: 'settle', amount: '0.50', referenceId })),
  sandbox('a force post', () => ({ type: 'settle', amount: '0.70' })),
  sandbox('a refund', () => ({ type: 'refund', amount: '0.30' })),
  sandbox(
    'a cancel that is refused',
    ({ referenceId }) => ({ type: 'cancel', amount: '99.00', referenceId }),
    409,
  ),
  client(
    'a top-up',
    ({ card }) => `/v1/cards/${card.id}/topup`,
    () => ({ amount: '1.00' }),
  ),
  client(
    'a top-up that is refused',
    ({ card }) => `/v1/cards/${card.id}/topup`,
    () => ({ amount: '5000.00' }),
    409,
  ),
  client(
    'a withdrawal from a card',
    ({ card }) => `/v1/cards/${card.id}/withdraw`,
    () => ({ amount: '1.00' }),
  ),
  client(
    'a transfer',
    () => '/v1/users/transfer',
    ({ card, otherAccountId }) => ({
      fromAccountId: card.accountId,
      toAccountId: otherAccountId,
      amount: '0.25',
    }),
  ),
  client(
    'a card',
    () => '/v1/cards',
    ({ holder: { userId, accountId, cardholderId } }) => ({
      userId,
      accountId,
      cardholderId,
      amount: '2.00',
    }),
  ),
  client(
    'a user',
    () => '/v1/users',
    () => ({ meta: { firstName: 'Ada' } }),
  ),
  {
    what: "an operator's deposit",
    by: 'admin',
    path: () => '/v1/accounts/admin-deposit',
    body: ({ card }) => ({ accountId: card.accountId, amount: '3.00', reason: 'test' }),
    status: 201,
  },
];

let api: TestApi;
let scene: Scene;

beforeAll(async () => {
  api = await testApi();
  const tenant = await api.client();
  const card = await activeCard(api, tenant, '50.00');
  const admin = await api.client('admin');
  await admin.call('POST', '/v1/accounts/admin-deposit', {
    accountId: card.accountId,
    amount: '50.00',
    reason: 'test',
  });
  const authorized = await simulate(tenant, { cardId: card.id, type: 'authorization', amount: '10.00' });
  const opened = await tenant.call('POST', `/v1/users/${card.userId}/accounts`, { currency: 'USD' });
  const { referenceId } = authorized.body;
  const holder = await cardholder(tenant);
  scene = { client: tenant, admin, card, referenceId, holder, otherAccountId: opened.body.id };
});
afterAll(() => api.close());

function post({ by, path, body }: Post, key: string): Promise<Answer> {
  return scene[by].call('POST', path(scene), body(scene), { 'x-idempotency-key': key });
}

/** How many rows each table has, and the sums of all balances: what an effect is measured by. */
async function everything(): Promise<Record<string, number>> {
  const tables = await api.database.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const counts = tables.map(({ name }) => `(select count(*)::int from "${name}") as "${name}"`);
  const sums = ['available', 'pending', 'spent'].map(
    (balance) => `(select (sum(${balance}) * 100)::int from ledger_accounts) as "${balance}"`,
  );
  const [row] = await api.database.query<Record<string, number>>(`select ${[...counts, ...sums].join()}`);
  return row as Record<string, number>;
}

/** What changes by the work. */
async function effectOf(work: () => Promise<void>): Promise<Record<string, number>> {
  const before = await everything();
  await work();
  const after = await everything();
  const changes = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
}

it.each(POSTS.map((one) => [one.what, one] as const))(
  `${AT_ONCE} times at once under one key: %s`,
  async (_, one) => {
    // A cancel or settle in parts has the same effect each time but the first: that one comes before.
    await post(one, `first ${one.what}`);
    const once = await effectOf(async () => {
      expect((await post(one, `once ${one.what}`)).status).toBe(one.status);
    });
    const answers: Answer[] = [];
    const key = `many ${one.what}`;
    const many = await effectOf(async () => {
      answers.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => post(one, key)))));
    });
    expect(many).toEqual(once);
    const final = answers.filter(({ body }) => body.code !== 'idempotency_in_progress');
    expect(new Set(final.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(final.filter(({ headers }) => !headers.has('x-idempotent-replayed'))).toHaveLength(1);
    expect(final[0]?.status).toBe(one.status);
    const repeated = await post(one, key);
    expect([repeated.text, repeated.headers.get('x-idempotent-replayed')]).toEqual([final[0]?.text, 'true']);
  },
);
