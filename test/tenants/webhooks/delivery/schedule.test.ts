import {
  firstProbe,
  jitterOf,
  MAX_ATTEMPTS,
  probeAfter,
  RETRY_SECONDS,
  retryAfterMs,
  retryIn,
} from '../../../../src/tenants/webhooks/delivery/schedule';

it('retries after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 6 h and 12 h', () => {
  const waits: number[] = [];
  let next = firstProbe(1);
  for (let attempts = 1; attempts < MAX_ATTEMPTS; attempts += 1) {
    waits.push(next.waitMs / 1000);
    expect(retryIn(attempts, 1)).toBe(next.waitMs);
    next = probeAfter(next.index, 1);
  }
  expect(waits).toEqual([5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200]);
  expect(waits).toEqual([...RETRY_SECONDS]);
});

it('stays at the last interval', () => {
  expect(probeAfter(7, 1)).toEqual({ index: 7, waitMs: 43_200_000 });
});

it('varies waits by a tenth, and never waits less than Retry-After', () => {
  expect([jitterOf(0), jitterOf(0.5), jitterOf(1)].map((value) => Math.round(value * 100))).toEqual([
    90, 100, 110,
  ]);
  expect(firstProbe(jitterOf(0)).waitMs).toBe(4_500);
  expect(probeAfter(0, 0.9, 10_000).waitMs).toBe(27_000);
  expect(retryIn(2, 0.9, 60_000)).toBe(60_000);
});

it.each([
  [undefined, 0],
  ['', 0],
  ['120', 120_000],
  [' 7 ', 7_000],
  ['Thu, 01 Jan 1970 00:01:30 GMT', 30_000],
  ['Thu, 01 Jan 1970 00:00:30 GMT', 0],
  ['soon', 0],
  ['-5', 0],
  ['99999999', 86_400_000],
])('reads Retry-After %p as %i ms', (header, ms) => {
  expect(retryAfterMs(header, 60_000)).toBe(ms);
});
