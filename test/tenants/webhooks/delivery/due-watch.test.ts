import { createDueWatch } from '../../../../src/tenants/webhooks/delivery/due-watch';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** @returns when each look began: milliseconds since the start */
async function looksOf(takesMs: number[], forMs: number): Promise<number[]> {
  const began: number[] = [];
  const start = performance.now();
  const watch = createDueWatch(async () => {
    began.push(Math.round(performance.now() - start));
    const takes = takesMs.shift() ?? 1;
    await new Promise((resolve) => setTimeout(resolve, takes));
    return 0;
  });
  watch.start();
  await jest.advanceTimersByTimeAsync(forMs);
  watch.stop();
  return began;
}

it('rests the longer, the longer a look takes', async () => {
  const [first, second] = await looksOf([100], 5_000);
  expect([first, second]).toEqual([0, 1_000]);
});

it('looks again soon after a look that hung', async () => {
  const [first, second] = await looksOf([25_000], 40_000);
  expect(first).toBe(0);
  expect(second).toBeGreaterThan(25_000);
  expect(second).toBeLessThanOrEqual(27_000);
});
