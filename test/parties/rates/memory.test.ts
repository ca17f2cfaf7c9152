import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { Decimal } from '../../../src/kernel/money/money';
import { createRates, type RatesOptions } from '../../../src/parties/rates/memory';
import { type DroppedRate, type RateSource, UnreadableRates } from '../../../src/parties/rates/port';
import type { Snapshot } from '../../../src/parties/rates/snapshot';
import { PartyAway } from '../../../src/process/party-errors';
import { until } from '../../support/until';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');

/** A party that says what the test says, and how often it was asked. */
function scripted() {
  const script = {
    asked: 0,
    asOf: NOW,
    worth: '1.1',
    dropped: [] as DroppedRate[],
    answer: undefined as (() => Promise<never>) | undefined,
  };
  const source: RateSource = {
    async read() {
      script.asked += 1;
      if (script.answer) return script.answer();
      const worth = new Decimal(script.worth);
      const rates = new Map([['EUR', { bid: worth, ask: worth }]]);
      const snapshot: Snapshot = { base: 'USD', asOf: new Date(script.asOf), rates };
      return { snapshot, dropped: script.dropped };
    },
  };
  return { script, source };
}

function world(options: Partial<RatesOptions> = {}) {
  const clock = { at: NOW };
  const { script, source } = scripted();
  const unusable: string[] = [];
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const rates = createRates(source, {
    ...{ log, now: () => new Date(clock.at), observeUnusable: (what) => void unusable.push(what) },
    ...{ everyMs: 40, retryMs: 5 },
    ...options,
  });
  return { clock, script, rates, unusable, lines, bid: () => rates.rate('EUR', 'USD').bid.toFixed() };
}

const UNAVAILABLE = expect.objectContaining({ status: 503, code: 'unavailable' });
const thrown = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

it('answers out of memory: the party is asked once, by whoever is not in a hurry, and not again while that is fresh', async () => {
  const { rates, script, bid, clock } = world();
  expect(thrown(bid)).toEqual(UNAVAILABLE);
  expect(script.asked).toBe(0);
  await Promise.all([rates.ready(), rates.ready(), rates.ready()]);
  expect([bid(), script.asked]).toEqual(['1.1', 1]);
  clock.at += 60_000;
  await rates.ready();
  expect([bid(), script.asked]).toEqual(['1.1', 1]);
});

it('does not deal on what is too old, nor on a pair that nobody told of; a currency in itself is one always', async () => {
  const { rates, script, bid, clock } = world({ maxAgeSeconds: 60 });
  expect(rates.rate('XAF', 'XAF')).toMatchObject({ derived: false, asOf: new Date(NOW) });
  expect(rates.rate('XAF', 'XAF').mid.toFixed()).toBe('1');
  expect(rates.worth('XAF', 'XAF')?.toFixed()).toBe('1');
  expect(rates.worth('GBP', 'USD')).toBeUndefined();
  await rates.ready();
  expect(thrown(() => rates.rate('GBP', 'USD'))).toEqual(UNAVAILABLE);
  expect(rates.worth('EUR', 'USD')).toEqual(rates.rate('EUR', 'USD').mid);
  clock.at += 60_001;
  expect(thrown(bid)).toEqual(UNAVAILABLE);
  expect(rates.worth('EUR', 'USD')).toBeUndefined();
  [script.asOf, script.worth] = [clock.at, '1.2'];
  await rates.ready();
  expect(bid()).toBe('1.2');
});

it('is refreshed beside the requests while it is started, tried again soon after a failure, and not after it was stopped', async () => {
  const { rates, script, bid } = world();
  script.answer = () => Promise.reject(new PartyAway());
  rates.start();
  rates.start();
  await until(() => script.asked >= 3);
  script.answer = undefined;
  await until(() => thrown(bid) === '1.1');
  script.worth = '1.3';
  await until(() => bid() === '1.3');
  await rates.stop();
  const { asked } = script;
  await sleep(100);
  expect(script.asked).toBe(asked);
});

it('stops at once though the party hangs', async () => {
  const { rates, script } = world();
  script.answer = () => new Promise(() => undefined);
  rates.start();
  await until(() => script.asked === 1);
  await rates.stop();
});

it('keeps what it has while the party cannot be asked or be understood, until that is too old', async () => {
  const { rates, script, bid, clock, unusable, lines } = world();
  await rates.ready();
  script.answer = () => Promise.reject(new UnreadableRates());
  rates.start();
  await until(() => unusable.length >= 5);
  await rates.stop();
  expect(bid()).toBe('1.1');
  expect(new Set(unusable)).toEqual(new Set(['rates']));
  expect(lines.filter(({ msg }) => String(msg).includes('rates are unavailable'))).toHaveLength(1);
  clock.at += 61_000;
  expect(thrown(bid)).toEqual(UNAVAILABLE);
});

it.each([
  ['of the future', NOW + 10_000],
  ['of before what is known', NOW - 1],
])('does not take rates %s', async (_, asOf) => {
  const { rates, script, bid, unusable, lines } = world();
  await rates.ready();
  [script.asOf, script.worth] = [asOf, '9'];
  rates.start();
  await until(() => script.asked >= 3);
  await rates.stop();
  expect(bid()).toBe('1.1');
  expect(unusable).toContain('rates_time');
  expect(lines.at(-1)).toMatchObject({ party: 'rates', asOf: new Date(asOf).toISOString() });
});

it('tells each row that was dropped, and goes on with the others', async () => {
  const { rates, script, bid, unusable, lines } = world();
  script.dropped = [
    { currency: 'GBP', reason: 'crossed' },
    { currency: 'CHF', reason: 'unreadable' },
  ];
  await rates.ready();
  expect(bid()).toBe('1.1');
  expect(unusable).toEqual(['rate_row', 'rate_row']);
  expect(lines).toEqual([expect.objectContaining({ party: 'rates', dropped: script.dropped, count: 2 })]);
});
