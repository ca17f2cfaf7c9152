/** @isolated replaces functions of modules. */
import { openMasterAccount } from '../../../src/accounts/accounts/operations';
import { currenciesIn } from '../../../src/parties/rates/snapshot';
import { type Client, type TestApi, testApi } from '../../support/api';
import { masterAccount } from '../../support/cards';

let api: TestApi;
let client: Client;
const clock = { ahead: 0 };
beforeAll(async () => {
  api = await testApi({ now: () => new Date(Date.now() + clock.ahead) });
  client = await api.client();
});
beforeEach(() => void (clock.ahead = 0));
afterAll(() => api.close());

const rates = async (query: string, by = client) => (await by.call('GET', `/v1/exchange/rates${query}`)).body;
const pairs = ({ data }: { data: { from: string; to: string }[] }) =>
  data.map(({ from, to }) => `${from}-${to}`);

it('returns a pair with fifteen significant digits, and whether it is quoted directly', async () => {
  const row = { asOf: expect.stringMatching(/^\d{4}-.*Z$/) };
  expect(await rates('?from=EUR&to=USD')).toEqual({
    data: [{ ...row, from: 'EUR', to: 'USD', bid: '1.07892', ask: '1.08108', mid: '1.08', derived: false }],
    hasMore: false,
    nextCursor: null,
  });
  // 0.999 × 0.000062 / (1.001 × 3000): no exponent, however small.
  expect((await rates('?from=IDR&to=ETH')).data).toEqual([
    {
      ...row,
      from: 'IDR',
      to: 'ETH',
      derived: true,
      mid: '0.0000000206666666666667',
      bid: '0.0000000206253746253746',
      ask: '0.0000000207080413747081',
    },
  ]);
  expect((await rates('?from=EUR&to=EUR')).data).toMatchObject([
    { bid: '1', ask: '1', mid: '1', derived: false },
  ]);
});

it('lists every pair of one currency on the requested side, else each currency against the base', async () => {
  const all = currenciesIn(api.services.parties.rates.snapshot());
  const others = (currency: string) => all.filter((each) => each !== currency);
  expect(pairs(await rates('?from=JPY'))).toEqual(others('JPY').map((to) => `JPY-${to}`));
  expect(pairs(await rates('?to=JPY'))).toEqual(others('JPY').map((from) => `${from}-JPY`));
  expect(pairs(await rates(''))).toEqual(others('USD').map((from) => `${from}-USD`));
});

it('has no row for a currency without a rate, and refuses an unknown currency', async () => {
  expect((await rates('?from=AMD')).data).toEqual([]);
  expect((await rates('?from=AMD&to=AMD')).data).toEqual([]);
  for (const [query, field] of [
    ['?from=XXQ', 'from'],
    ['?to=usd', 'to'],
    ['?from=EUR&to=', 'to'],
  ] as const)
    expect(await rates(query)).toMatchObject({ code: 'invalid_request', field });
});

it('is open to admins, and requires a credential', async () => {
  expect((await rates('?from=EUR&to=USD', await api.client('admin'))).data).toHaveLength(1);
  expect((await api.call('GET', '/v1/exchange/rates')).status).toBe(401);
});

it('lists the capability `exchange` for accounts whose currency has a rate', async () => {
  const alone = await testApi({ partySettings: { exchange: 'off' } });
  const able = async (on: TestApi) => {
    const fresh = await on.client();
    await on.database.transaction((tx) => openMasterAccount(tx, fresh.clientId, 'AMD'));
    const { accounts } = (await fresh.call('GET', '/v1/client/settings')).body;
    return (accounts as { currency: string; capabilities: string[] }[])
      .filter(({ capabilities }) => capabilities.includes('exchange'))
      .map(({ currency }) => currency)
      .sort();
  };
  expect(await able(alone)).toEqual(['EUR', 'GBP', 'USD']);
  expect(await able(api)).toEqual(['AMD', 'EUR', 'GBP', 'USD']);
  await alone.close();
});

it('neither lists outdated rates nor quotes by them', async () => {
  const from = await masterAccount(client, 'EUR');
  const toAccountId = await masterAccount(client, 'USD');
  const { rates: port } = api.services.parties;
  const at = port.snapshot().asOf.getTime();
  await port.stop();
  const ready = jest.spyOn(port, 'ready').mockResolvedValue();
  try {
    const asked = () => [
      client.call('GET', '/v1/exchange/rates'),
      client.call('POST', `/v2/accounts/${from}/exchange-quote`, { toAccountId, amount: '1.00' }),
    ];
    clock.ahead = at + 50_000 - Date.now();
    expect((await Promise.all(asked())).map(({ status }) => status)).toEqual([200, 201]);
    clock.ahead = at + 61_000 - Date.now();
    const answers = await Promise.all(asked());
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      Array(2).fill([503, 'unavailable']),
    );
    expect(answers[0]?.headers.get('retry-after')).toBeTruthy();
  } finally {
    ready.mockRestore();
  }
});
