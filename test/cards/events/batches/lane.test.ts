/** @isolated replaces timers. */
import { createLane } from '../../../../src/cards/events/batches/lane';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A lane with what it has begun, each batch by its items' names; `end` ends the oldest that is under way. */
function observed(mostAtOnce: number) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const lane = createLane<{ name: string }>({
    mostAtOnce,
    run(batch) {
      begun.push(batch.map(({ name }) => name).join(''));
      return new Promise((resolve) => ends.push(resolve));
    },
    emptied: () => begun.push('emptied'),
  });
  return {
    begun,
    push(names: string) {
      for (const name of names) lane.push({ name });
    },
    async end() {
      ends.shift()?.();
      await jest.advanceTimersByTimeAsync(0);
    },
    pass: (ms: number) => jest.advanceTimersByTimeAsync(ms),
  };
}

it('begins with all items of one turn of the event loop', async () => {
  const { begun, push, pass } = observed(1);
  push('ab');
  expect(begun).toEqual([]);
  await pass(0);
  expect(begun).toEqual(['ab']);
});

it('begins at once when it is idle, after a batch of several items too', async () => {
  const { begun, push, pass, end } = observed(2);
  push('ab');
  await pass(0);
  await end();
  push('c');
  await pass(0);
  expect(begun).toEqual(['ab', 'emptied', 'c']);
});

it('takes at most 64 items in one batch', async () => {
  const { begun, push, pass, end } = observed(1);
  push('ab');
  await pass(0);
  await end();
  push('x'.repeat(65));
  await pass(0);
  expect(begun[2]).toBe('x'.repeat(64));
});

it('begins a second batch once as many items wait as the first one has', async () => {
  const { begun, push, pass } = observed(2);
  push('ab');
  await pass(0);
  push('c');
  await pass(50);
  expect(begun).toEqual(['ab']);
  push('d');
  await pass(0);
  expect(begun).toEqual(['ab', 'cd']);
});
