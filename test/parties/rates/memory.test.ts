import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { Decimal } from '../../../src/kernel/money/money';
import { createRates, type RatesOptions } from '../../../src/parties/rates/memory';
import { type DroppedRate, type RateSource, UnreadableRates } from '../../../src/parties/rates/port';
import type { Snapshot } from '../../../src/parties/rates/snapshot';
import { PartyAway } from '../../../src/process/party-errors';
import { until } from '../../support/until';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');

/** A source that answers as the test says and counts its calls. */
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
    log,
    now: () => new Date(clock.at),
    observeUnusable: (what) => void unusable.push(what),
    everyMs: 40,
    retryMs: 5,
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

it('answers from memory: ready() asks the party once while the rates are fresh', async () => {
  const { rates, script, bid, clock } = world();
  expect(thrown(bid)).toEqual(UNAVAILABLE);
  expect(script.asked).toBe(0);
  await Promise.all([rates.ready(), rates.ready(), rates.ready()]);
  expect([bid(), script.asked]).toEqual(['1.1', 1]);
  clock.at += 60_000;
  await rates.ready();
  expect([bid(), script.asked]).toEqual(['1.1', 1]);
});

it('refuses old rates and unknown pairs; a currency to itself is always one', async () => {
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

it('refreshes in the background until it is stopped, and retries soon after a failure', async () => {
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

it('stops at once while the party hangs', async () => {
  const { rates, script } = world();
  script.answer = () => new Promise(() => undefined);
  rates.start();
  await until(() => script.asked === 1);
  await rates.stop();
});

it('keeps its rates until they expire while the party is away or unreadable', async () => {
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
  ['from the future', NOW + 10_000],
  ['older than the stored ones', NOW - 1],
])('rejects rates %s', async (_, asOf) => {
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

it('reports each dropped row and uses the others', async () => {
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
