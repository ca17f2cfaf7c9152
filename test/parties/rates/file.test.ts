import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { Decimal } from '../../../src/kernel/money/money';
import { StartupError } from '../../../src/kernel/startup-error';
import { configuredSource } from '../../../src/parties/rates/configured';
import { createRates } from '../../../src/parties/rates/memory';
import { testApi } from '../../support/api';

const folder = mkdtempSync(join(tmpdir(), 'rates-'));
afterAll(() => rmSync(folder, { recursive: true }));

const path = join(folder, 'rates.json');
const clock = { at: Date.parse('2026-03-01T12:00:00.000Z') };
const now = () => new Date(clock.at);
const settings = { source: 'file' as const, path, halfSpreadBps: new Decimal(10) };
const source = (content: unknown) => {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return configuredSource(settings, now);
};

const TABLE = {
  base: 'USD',
  asOf: '2026-01-01T00:00:00Z',
  rates: { EUR: { bid: '1.07', ask: '1.09' }, JPY: '0.0067' },
};

it('gives bids and asks, or middles with half a spread, and never expires', async () => {
  const configured = source(TABLE);
  const rates = createRates(configured.source, { log: pino({ level: 'silent' }), now, ...configured });
  await rates.ready();
  clock.at += 10 * 365 * 24 * 60 * 60_000;
  const shown = (from: string) => {
    const { bid, ask, asOf } = rates.rate(from, 'USD');
    return [bid.toFixed(), ask.toFixed(), asOf.toISOString()];
  };
  expect(shown('EUR')).toEqual(['1.07', '1.09', '2026-01-01T00:00:00.000Z']);
  expect(shown('JPY')).toEqual(['0.0066933', '0.0067067', '2026-01-01T00:00:00.000Z']);
  expect(() => rates.rate('GBP', 'USD')).toThrow(expect.objectContaining({ status: 503 }));
});

it('takes its time from its last change, but never from the future', async () => {
  const { asOf: _, ...timeless } = TABLE;
  const asOf = async () => (await source(timeless).source.read()).snapshot.asOf.getTime();
  expect(await asOf()).toBeLessThanOrEqual(clock.at);
  const { source: early } = source(timeless);
  expect((await early.read()).snapshot.asOf).toBeInstanceOf(Date);
  utimesSync(path, new Date(clock.at + 60_000), new Date(clock.at + 60_000));
  expect((await configuredSource(settings, now).source.read()).snapshot.asOf.getTime()).toBe(clock.at);
});

it.each<[string, unknown, string]>([
  ['no JSON', '{', 'cannot be read'],
  ['no table', [], 'the file'],
  ['an unknown base', { ...TABLE, base: 'XXQ' }, 'base: must be a known currency'],
  ['an unknown currency', { ...TABLE, rates: { Miller: '1' } }, 'Miller'],
  ['a rate of the base', { ...TABLE, rates: { USD: '1' } }, 'USD is the base'],
  ['no rates', { ...TABLE, rates: {} }, 'rates is empty'],
  ['a number', { ...TABLE, rates: { EUR: 1.08 } }, 'rates.EUR'],
  ['nothing', { ...TABLE, rates: { EUR: '0' } }, 'EUR is not positive'],
  ['half of a row', { ...TABLE, rates: { EUR: { bid: '1' } } }, 'rates.EUR'],
  ['a bid above its ask', { ...TABLE, rates: { EUR: { bid: '2', ask: '1' } } }, 'EUR is a bid above its ask'],
  ['another field', { ...TABLE, rate: {} }, 'rate'],
  ['a time to come', { ...TABLE, asOf: '2046-01-01T00:00:00Z' }, 'asOf lies in the future'],
])('stops the start with a message when it has %s', (_, content, message) => {
  expect(() => source(content)).toThrow(StartupError);
  expect(() => source(content)).toThrow(message);
  expect(() => source(content)).toThrow('RATES_FILE');
});

it('stops the start when the file is missing', () => {
  expect(() => configuredSource({ ...settings, path: join(folder, 'none.json') }, now)).toThrow(StartupError);
});

it('replaces the rates party in the product', async () => {
  writeFileSync(path, JSON.stringify(TABLE));
  const api = await testApi({ ratesSource: settings });
  try {
    const client = await api.client();
    const { body } = await client.call('GET', '/v1/exchange/rates');
    expect(body.data.map(({ from, bid }: Record<string, string>) => [from, bid])).toEqual([
      ['EUR', '1.07'],
      ['JPY', '0.0066933'],
    ]);
  } finally {
    await api.close();
  }
});
