/** @long races each operation that moves money with itself. */
import { checkLedger } from '../../src/kernel/ledger/check';
import { Decimal } from '../../src/kernel/money/money';
import { type Answer, type Client, DECIDED_AT_ONCE, type TestApi, testApi } from '../support/api';
import { countConflicts } from '../support/conflicts';
import { MOVES, type Move } from './moves';
import { type Records, recordsOf } from './records';

/** Tests decisions part 5, 2 and 3, through the API, for every operation that moves money. `attack.test.ts` finds a missing one. */
const AT_ONCE = 50;

const { conflicts, counting } = countConflicts();
let api: TestApi;
let admin: Client;
beforeAll(async () => {
  api = await testApi(DECIDED_AT_ONCE, counting);
  admin = await api.client('admin');
});
afterAll(() => api.close());

let keys = 0;
const newKey = () => `key-${(keys += 1)}`;

/** A prepared call. */
interface Call {
  client: Client;
  path: string;
  body: Record<string, unknown>;
}

async function prepared(records: Records, { by, path, body, quote }: Move): Promise<Call> {
  const client = by === 'admin' ? admin : records.client;
  const call = { client, path: await path(records), body: await body(records) };
  if (!quote) return call;
  const asked = await quote(records);
  const quoted = await client.call('POST', asked.path, asked.body);
  if (quoted.status !== 201) throw new Error(`no quote: ${quoted.text}`);
  return { ...call, body: { ...call.body, quoteId: quoted.body.quoteId } };
}

const sent = ({ client, path, body }: Call, key: string): Promise<Answer> =>
  client.call('POST', path, body, { 'x-idempotency-key': key });

const inTurn = async <T>(count: number, make: () => Promise<T>): Promise<T[]> => {
  const made: T[] = [];
  while (made.length < count) made.push(await make());
  return made;
};

/** Counts the rows of each table and sums all balances, to measure effects. */
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

/** Returns the changes that the work makes. */
async function effectOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await everything();
  await work();
  const after = await everything();
  const changes = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
}

const records = async () => recordsOf(api, await api.client(), 'Ada');
const each = (moves: Move[]) => moves.map((one) => [one.what, one] as const);

describe(`${AT_ONCE} identical requests at once under one key have one effect and one answer`, () => {
  it.each(each(MOVES))('%s', async (_, move) => {
    const tenant = await records();
    const [first, alone, call] = (await inTurn(3, () => prepared(tenant, move))) as [Call, Call, Call];
    // The first call may do more than later ones, because it opens missing accounts.
    await sent(first, newKey());
    const once = await effectOf(async () => {
      const answer = await sent(alone, newKey());
      expect([answer.text, answer.status]).toEqual([answer.text, move.status]);
    });
    const key = newKey();
    const answers: Answer[] = [];
    const many = await effectOf(async () => {
      answers.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => sent(call, key)))));
    });
    expect(many).toEqual(once);
    const final = answers.filter(({ body }) => body.code !== 'idempotency_in_progress');
    expect(new Set(final.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(final.filter(({ headers }) => !headers.has('x-idempotent-replayed'))).toHaveLength(1);
    expect(final[0]?.status).toBe(move.status);
    const others = answers.filter((answer) => !final.includes(answer));
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set(others.length > 0 ? [409] : []));
    const repeated = await sent(call, key);
    expect([repeated.text, repeated.headers.get('x-idempotent-replayed')]).toEqual([final[0]?.text, 'true']);
  });
});

/** Returns the available part of the money that a move takes. */
async function available({ client, id }: Records, purse: Move['purse'] & string): Promise<Decimal> {
  const path = {
    account: async () => `/v2/accounts/${await id('account')}/balance`,
    euroAccount: async () => `/v2/accounts/${await id('euroAccount')}/balance`,
    card: async () => `/v1/cards/${await id('card')}`,
    virtualIban: async () => `/v1/corporate-banking/${await id('company')}/account`,
  };
  const { body } = await client.call('GET', await path[purse]());
  return new Decimal(purse.toLowerCase().endsWith('account') ? body.available : body.balance.available);
}

/** Withdraws money until this amount is left. */
async function leave(tenant: Records, purse: Move['purse'] & string, left: Decimal): Promise<void> {
  const { client, id } = tenant;
  const amount = (await available(tenant, purse)).minus(left).toFixed(2);
  const headers = { 'x-idempotency-key': newKey() };
  const writtenOff = async (kind: 'account' | 'euroAccount') => {
    const body = { accountId: await id(kind), amount, reason: 'test' };
    return admin.call('POST', '/v1/accounts/admin-withdrawal', body, headers);
  };
  const ways = {
    account: () => writtenOff('account'),
    euroAccount: () => writtenOff('euroAccount'),
    card: async () => client.call('POST', `/v1/cards/${await id('card')}/withdraw`, { amount }, headers),
    virtualIban: async () =>
      client.call('POST', `/v1/corporate-banking/${await id('company')}/transfers`, { amount }, headers),
  };
  const answer = await ways[purse]();
  if (answer.status !== 201) throw new Error(answer.text);
}

const MONEY_FOR = 7;

describe(`${AT_ONCE} requests at once against money for ${MONEY_FOR}: exactly ${MONEY_FOR} succeed`, () => {
  const taking = MOVES.filter((one): one is Move & { purse: string } => one.purse !== undefined);

  it.each(each(taking))('%s', async (_, move) => {
    const tenant = await records();
    const purse = move.purse as Move['purse'] & string;
    // Measures the cost of one move with fees, after the records that it needs exist.
    const alone = await prepared(tenant, move);
    const before = await available(tenant, purse);
    await sent(alone, newKey());
    const price = before.minus(await available(tenant, purse));
    expect(price.toNumber()).toBeGreaterThanOrEqual(10);
    const calls = await inTurn(AT_ONCE, () => prepared(tenant, move));
    const rest = price.minus('0.01');
    await leave(tenant, purse, price.times(MONEY_FOR).plus(rest));

    const answers = await Promise.all(calls.map((call) => sent(call, newKey())));
    const outcomes = answers.map(({ status, body }) =>
      status === move.status && body.type !== 'decline' ? 'done' : (body.code ?? body.declineReason),
    );
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(MONEY_FOR);
    expect(new Set(outcomes)).toEqual(new Set(['done', 'insufficient_funds']));
    expect((await available(tenant, purse)).toFixed(2)).toBe(rest.toFixed(2));
  });
});

describe(`one quote, accepted by ${AT_ONCE} requests at once under different keys, is used once`, () => {
  it.each(each(MOVES.filter(({ quote }) => quote !== undefined)))('%s', async (_, move) => {
    const tenant = await records();
    const [first, alone, call] = (await inTurn(3, () => prepared(tenant, move))) as [Call, Call, Call];
    await sent(first, newKey());
    const once = await effectOf(() => sent(alone, newKey()));
    const answers: Answer[] = [];
    const many = await effectOf(async () => {
      answers.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => sent(call, newKey())))));
    });
    const told = answers.map(({ status, body }) => `${status} ${body.code ?? ''}`.trim()).sort();
    expect(told).toEqual([`${move.status}`, ...Array.from({ length: AT_ONCE - 1 }, () => '409 quote_used')]);
    // A refusal only stores its answer.
    expect(many).toEqual({ ...once, idempotency_keys: (once['idempotency_keys'] ?? 0) + AT_ONCE - 1 });
  });
});

it('leaves correct books, without a conflict between transactions', async () => {
  expect(await checkLedger(api.database)).toEqual([]);
  expect(conflicts()).toBe(0);
});
