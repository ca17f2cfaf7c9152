import { isCurrency, learnCoin } from '../../../src/kernel/money/currencies';
import { Decimal } from '../../../src/kernel/money/money';
import { SANDBOX_USD_RATES, sandboxSnapshot } from '../../../src/parties/rates/sandbox/table';
import { type TestApi, testApi } from '../../support/api';

/** The sandbox's rates party over HTTP, as the product asks it. */

const clock = { at: Date.parse('2026-03-01T12:00:00.000Z') };
const now = () => new Date(clock.at);
let still: TestApi;
let moving: TestApi;
beforeAll(async () => {
  [still, moving] = await Promise.all([testApi({ now }), testApi({ now, sandboxRates: 'moving' })]);
});
afterAll(() => Promise.all([still.close(), moving.close()]));

/** Asks twice, because the first answer may be to a question from before. */
async function aMinuteLater({ services }: TestApi): Promise<void> {
  clock.at += 61_000;
  await services.parties.rates.ready();
  await services.parties.rates.ready();
}
const rate = (api: TestApi, from: string, to: string) => api.services.parties.rates.rate(from, to);

it('quotes bid and ask 0.1 % around the middle, and derives every pair through USD', () => {
  const { bid, ask, mid, ...more } = rate(still, 'EUR', 'USD');
  expect(more).toEqual({ from: 'EUR', to: 'USD', derived: false, asOf: now() });
  expect([bid.toFixed(), mid.toFixed(), ask.toFixed()]).toEqual(['1.07892', '1.08', '1.08108']);
  expect(rate(still, 'USD', 'EUR').mid.toFixed()).toBe('0.925925925925926');
  expect(rate(still, 'GBP', 'EUR').mid.toFixed()).toBe('1.17592592592593');
  expect(rate(still, 'GBP', 'EUR').derived).toBe(true);
  // 1.26873 / 1.08108 and 1.27127 / 1.07892: a pair without USD has both spreads.
  expect(rate(still, 'GBP', 'EUR').bid.toFixed()).toBe('1.17357642357642');
  expect(rate(still, 'GBP', 'EUR').ask.toFixed()).toBe('1.17828013198384');
});

it('answers only authorized requests', async () => {
  expect((await still.call('GET', '/sandbox/providers/rates/rates')).status).toBe(401);
});

it('moves only by the clock and within 1 % of the table, when it is set to move', async () => {
  const wanders = (seconds: number) => {
    const { bid, ask } = sandboxSnapshot(new Date(clock.at + seconds * 1000), 'moving').rates['EUR'] ?? {};
    return new Decimal(bid ?? 0).plus(ask ?? 0).dividedBy(2);
  };
  const hour = Array.from({ length: 720 }, (_, step) => wanders(step * 5));
  expect(new Set(hour.map(String)).size).toBeGreaterThan(300);
  const away = hour.map((middle) => middle.dividedBy('1.08').minus(1).abs());
  expect(away.every((share) => share.lte('0.01'))).toBe(true);
  expect(Decimal.max(...away).gt('0.009')).toBe(true);
  expect(wanders(3_600)).toEqual(wanders(0));
  expect(rate(moving, 'EUR', 'USD').mid.toFixed()).toBe(wanders(0).toFixed());
  await aMinuteLater(moving);
  expect(rate(moving, 'EUR', 'USD').mid.toFixed()).toBe(wanders(0).toFixed());
});

it('quotes every pair of its table, and of coins once a network has them', async () => {
  for (const symbol of ['BNB', 'POL', 'AVAX']) learnCoin({ symbol, decimals: 18 });
  await aMinuteLater(still);
  const currencies = Object.keys(SANDBOX_USD_RATES);
  expect(currencies.filter((currency) => !isCurrency(currency))).toEqual([]);
  for (const from of currencies)
    for (const to of currencies)
      expect([from, to, rate(still, from, to).bid.gt(0)]).toEqual([from, to, true]);
});
