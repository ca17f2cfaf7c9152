import { isCurrency } from '../../../src/kernel/money/currencies';
import { Decimal } from '../../../src/kernel/money/money';
import { createRates, type Rate } from '../../../src/parties/rates/port';
import { createSandboxRates, SANDBOX_USD_RATES } from '../../../src/parties/rates/sandbox/rates';

const now = () => new Date('2026-03-01T12:00:00.000Z');
const sandbox = createRates(createSandboxRates(now), { now });

it('quotes the fixed table: bid and ask a tenth of a percent around mid', async () => {
  const rate = await sandbox.rate('EUR', 'USD');
  expect({ ...rate, bid: rate.bid.toFixed(), ask: rate.ask.toFixed(), mid: rate.mid.toFixed() }).toEqual({
    from: 'EUR',
    to: 'USD',
    mid: '1.08',
    bid: '1.07892',
    ask: '1.08108',
    asOf: now(),
  });
  expect((await sandbox.rate('USD', 'EUR')).mid.toFixed()).toBe('0.9259259259');
  expect((await sandbox.rate('GBP', 'EUR')).mid.toFixed()).toBe('1.1759259259');
});

it('is one between a currency and itself, whoever quotes', async () => {
  const nobody = createRates({ quote: async () => undefined }, { now });
  const { bid, ask, mid } = await nobody.rate('XAF', 'XAF');
  expect([bid, ask, mid].map((each) => each.toFixed())).toEqual(['1', '1', '1']);
});

it('quotes every pair of its table, with bid below mid below ask', async () => {
  const currencies = Object.keys(SANDBOX_USD_RATES);
  expect(currencies.filter((currency) => !isCurrency(currency))).toEqual([]);
  for (const from of currencies) {
    for (const to of currencies.filter((other) => other !== from)) {
      const { bid, mid, ask } = await sandbox.rate(from, to);
      expect([from, to, bid.gt(0), bid.lte(mid), mid.lte(ask)]).toEqual([from, to, true, true, true]);
    }
  }
});

it('does not deal on a pair without a rate, nor on a rate that is too old', async () => {
  await expect(sandbox.rate('XAF', 'USD')).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  const quoted = (seconds: number): Rate => ({
    from: 'EUR',
    to: 'USD',
    bid: new Decimal(1),
    ask: new Decimal(1),
    mid: new Decimal(1),
    asOf: new Date(now().getTime() - seconds * 1000),
  });
  const aged = (seconds: number) =>
    createRates({ quote: async () => quoted(seconds) }, { now, maxAgeSeconds: 60 });
  await expect(aged(60).rate('EUR', 'USD')).resolves.toMatchObject({ from: 'EUR' });
  await expect(aged(61).rate('EUR', 'USD')).rejects.toMatchObject({ status: 503, code: 'unavailable' });
});
