/** @long */
import { randomUUID } from 'node:crypto';
import { Decimal } from '../../../src/kernel/money/money';
import { authorizationFor } from '../../../src/parties/protocol/signature';
import { partyPath, partySecret } from '../../../src/parties/sandbox/mount';
import { PartyRefused } from '../../../src/process/party-errors';
import { type SandboxWorld, sandboxWorld } from '../sandbox/support';

/** The sandbox's exchange over HTTP: its orders and our balances, as time passes. */

let world: SandboxWorld;
beforeAll(async () => {
  world = await sandboxWorld();
});
afterAll(() => world.close());

const pass = (seconds: number): void => {
  world.clock.at += seconds * 1000;
};
const party = () => world.api.services.parties.exchange;
const callbackUrl = 'https://api.example/callbacks/exchange';

const dealt = (
  amount: string,
  more: { from?: string; to?: string; minReceive?: Decimal; key?: string } = {},
) =>
  party().order({
    key: `key-${randomUUID()}`,
    from: 'EUR',
    to: 'USD',
    amount: new Decimal(amount),
    callbackUrl,
    ...more,
  });
const withdrawn = (amount: string, key = `key-${randomUUID()}`) =>
  party().withdraw({
    key,
    amount: new Decimal(amount),
    currency: 'EUR',
    destination: { name: 'A' },
    callbackUrl,
  });

/** Orders an exchange and returns its state after that time. */
async function dealAfter(seconds: number, amount: string, more: Parameters<typeof dealt>[1] = {}) {
  const key = `key-${randomUUID()}`;
  await dealt(amount, { ...more, key });
  pass(seconds);
  return JSON.parse(JSON.stringify(await party().askOrder(key)));
}

/** The changes of the balances since then, by currency. */
async function gained(): Promise<() => Promise<Record<string, string>>> {
  const read = async () =>
    new Map((await party().balances()).balances.map(({ currency, amount }) => [currency, amount]));
  const before = await read();
  return async () => {
    const changed = [...(await read())].map(([currency, amount]) => {
      return [currency, amount.minus(before.get(currency) ?? 0).toFixed()] as const;
    });
    return Object.fromEntries(changed.filter(([, amount]) => amount !== '0'));
  };
}

function post(path: string, body: object, key: string) {
  const { api } = world;
  const authorization = authorizationFor(partySecret(api.services.keyring, 'exchange'));
  return api.call('POST', partyPath('exchange') + path, body, { authorization, 'idempotency-key': key });
}

it('has no balances before the first order', async () => {
  const { asOf, balances } = await party().balances();
  expect([asOf.getTime(), balances]).toEqual([world.clock.at, []]);
});

describe('an exchange order', () => {
  it('is filled at the bid of the table, rounded down to the minor unit', async () => {
    // 1.08 × 0.999 = 1.07892
    expect(await dealAfter(1, '100.01')).toMatchObject({
      status: 'filled',
      version: 2,
      fills: [{ sold: '100.01', bought: '107.9' }], // 107.9027892
    });
    // 1 / (0.0067 × 1.001) = 149.1046…, in a currency without minor units
    expect(await dealAfter(1, '100', { from: 'USD', to: 'JPY' })).toMatchObject({
      fills: [{ sold: '100', bought: '14910' }],
    });
  });

  it('is executed once when twenty requests with one key arrive together', async () => {
    const since = await gained();
    const key = `key-${randomUUID()}`;
    const words = await Promise.all(Array.from({ length: 20 }, () => dealt('100', { key })));
    expect(words.map(({ status, version }) => [status, version])).toEqual(words.map(() => ['open', 1]));
    pass(1);
    expect(await dealt('100', { key })).toMatchObject({ status: 'filled', version: 2 });
    expect(await since()).toEqual({ EUR: '-100', USD: '107.89' });
  });

  it('is refused when its key belongs to another order or to a withdrawal', async () => {
    const key = `key-${randomUUID()}`;
    const order = { from: 'EUR', to: 'USD', amount: '10.00', minReceive: '1.00', callbackUrl };
    expect((await post('/orders', order, key)).status).toBe(201);
    const others = [{ amount: '11.00' }, { from: 'GBP' }, { to: 'GBP' }, { minReceive: '1.01' }];
    for (const other of [...others, { minReceive: undefined }]) {
      const { status, body } = await post('/orders', { ...order, ...other }, key);
      expect([other, status, body.code]).toEqual([other, 409, 'idempotency_mismatch']);
    }
    const payment = { amount: '10.00', currency: 'EUR', destination: { name: 'A' }, callbackUrl };
    expect((await post('/withdrawals', payment, key)).status).toBe(409);
    expect(await party().askWithdrawal(key)).toBe('unknown_to_party');
    expect(
      (await post('/orders', { ...order, minReceive: '1', callbackUrl: `${callbackUrl}/2` }, key)).status,
    ).toBe(201);
  });

  it('is refused without a trace when it is impossible', async () => {
    const key = `key-${randomUUID()}`;
    const refused = async (amount: string, more: object) =>
      expect(await dealt(amount, { key, ...more }).catch((error: unknown) => error)).toBeInstanceOf(
        PartyRefused,
      );
    await refused('905.01', {});
    await refused('10', { to: 'XXQ' });
    await refused('10', { to: 'EUR' });
    await refused('10.001', {});
    expect(await party().askOrder(key)).toBe('unknown_to_party');
    expect((await post('/orders', { from: 'EUR' }, key)).body).toMatchObject({ code: 'malformed_order' });
  });

  it('fails when it would buy nothing', async () => {
    const word = await dealAfter(1, '0.01', { to: 'ETH' });
    expect(word).toMatchObject({ status: 'filled', fills: [{ sold: '0.01' }] });
    expect(await dealAfter(1, '1', { from: 'JPY', to: 'KWD' })).toMatchObject({
      status: 'filled',
      fills: [{ bought: '0.002' }],
    });
    expect(await dealAfter(1, '0.01', { from: 'TRY' })).toMatchObject({
      status: 'failed',
      failureCode: 'amount_too_small',
      fills: [],
    });
  });

  it('is executed whole at minReceive or better, or not at all', async () => {
    const since = await gained();
    const least = (text: string) => ({ minReceive: new Decimal(text) });
    const notMet = { status: 'failed', failureCode: 'min_receive_not_met', fills: [] };
    expect(await dealAfter(1, '100', least('107.90'))).toMatchObject(notMet);
    expect(await dealAfter(1, '905.08', least('1'))).toMatchObject(notMet); // only half is filled
    expect(await dealAfter(1, '905.10', least('957'))).toMatchObject(notMet);
    expect(await since()).toEqual({});
    expect(await dealAfter(1, '100', least('107.89'))).toMatchObject({ status: 'filled' });
    // 905.10 × 1.07892 × 0.98
    expect(await dealAfter(1, '905.10', least('956.99'))).toMatchObject({ fills: [{ bought: '956.99' }] });
    expect(await dealAfter(6, '905.09', least('970'))).toMatchObject({ status: 'filled', fills: [{}, {}] });
  });

  it('is filled in part, or in several fills with their own prices', async () => {
    const since = await gained();
    expect(await dealAfter(1, '905.08')).toMatchObject({
      status: 'filled',
      fills: [{ sold: '452.54', bought: '488.25' }],
    });
    expect(await since()).toEqual({ EUR: '-452.54', USD: '488.25' });
    const key = `key-${randomUUID()}`;
    await dealt('905.09', { key });
    pass(1);
    expect(await party().askOrder(key)).toMatchObject({
      status: 'open',
      fills: [{ sold: new Decimal('452.54') }],
    });
    pass(5);
    const { status, fills } = JSON.parse(JSON.stringify(await party().askOrder(key)));
    expect(status).toBe('filled');
    expect(fills.map(({ sold, bought }: any) => [sold, bought])).toEqual([
      ['452.54', '488.25'],
      ['452.55', '483.38'], // 452.55 × 1.07892 × 0.99
    ]);
  });
});

describe('the balances', () => {
  const SOLD = { EUR: '-905.11' };

  it('lose the sold amount at the fill and gain the bought amount at the settlement', async () => {
    const since = await gained();
    await dealt('905.11');
    expect(await since()).toEqual({});
    pass(0.15);
    expect(await since()).toEqual(SOLD);
    pass(19.9);
    expect(await since()).toEqual(SOLD);
    pass(0.1);
    expect(await since()).toEqual({ ...SOLD, USD: '976.54' });
  });

  it('gain half of the bought amount, or none, by the amount', async () => {
    const since = await gained();
    await dealt('905.12');
    pass(86_400);
    expect(await since()).toEqual({ EUR: '-905.12', USD: '488.27' }); // half of 976.55
    await dealt('905.13');
    pass(86_400);
    expect(await since()).toEqual({ EUR: '-1810.25', USD: '488.27' });
  });

  it('are corrected when the party withdraws its report', async () => {
    const since = await gained();
    expect(await dealAfter(1, '905.14')).toMatchObject({ status: 'filled' });
    expect(await since()).toEqual({ EUR: '-905.14', USD: '976.57' });
    pass(19);
    expect(await since()).toEqual({});
    expect(await dealAfter(1, '905.15')).toMatchObject({ status: 'failed', failureCode: 'no_counterparty' });
    expect(await since()).toEqual({});
    pass(20);
    expect(await since()).toEqual({ EUR: '-905.15', USD: '976.58' });
  });

  it('lose withdrawals and regain returns', async () => {
    const since = await gained();
    await withdrawn('100');
    pass(1);
    expect(await since()).toEqual({ EUR: '-100' });
    await withdrawn('901.14'); // returns in two halves
    pass(1);
    expect(await since()).toEqual({ EUR: '-1001.14' });
    pass(19);
    expect(await since()).toEqual({ EUR: '-550.57' });
    pass(20);
    expect(await since()).toEqual({ EUR: '-100' });
    await withdrawn('901.10'); // refused, and sent after all
    pass(1);
    expect(await since()).toEqual({ EUR: '-100' });
    pass(20);
    expect(await since()).toEqual({ EUR: '-1001.1' });
    await withdrawn('901.09'); // sent, and failed
    pass(1);
    expect(await since()).toEqual({ EUR: '-1902.19' });
    pass(20);
    expect(await since()).toEqual({ EUR: '-1001.1' });
    await expect(withdrawn('901.15')).rejects.toEqual(new PartyRefused('account_closed'));
  });

  it('are the same for one time, even while orders arrive', async () => {
    const ordering = Promise.all(Array.from({ length: 20 }, () => dealt('1')));
    pass(10);
    const { asOf, balances } = await party().balances();
    await ordering;
    const since = await world.api.database.query<{ currency: string; amount: string }>(
      `select currency, trim_scale(sum(amount))::text as amount from sandbox_exchange_movements
        where at <= $1 group by 1 order by 1`,
      [asOf],
    );
    expect(balances.map(({ currency, amount }) => ({ currency, amount: amount.toFixed() }))).toEqual(since);
  });
});

it('uses the price at the time of the order when rates move', async () => {
  const moving = await sandboxWorld({ sandboxRates: 'moving' });
  const { exchange } = moving.api.services.parties;
  const order = { key: 'a', from: 'EUR', to: 'USD', amount: new Decimal(1_000_000), callbackUrl };
  const bought = async (key: string) => {
    await exchange.order({ ...order, key });
    moving.clock.at += 1_000;
    const word = await exchange.askOrder(key);
    return typeof word === 'string' ? word : word.fills.map((fill) => fill.bought.toFixed());
  };
  const first = await bought('a');
  moving.clock.at += 600_000;
  const second = await bought('b');
  expect(second).not.toEqual(first);
  expect(await bought('a')).toEqual(first);
  await moving.close();
});
