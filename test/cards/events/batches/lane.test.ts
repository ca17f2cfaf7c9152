/** @isolated replaces timers. */
import { createLane, type Queued } from '../../../../src/cards/events/batches/lane';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A lane with what it has begun, each batch by its items' names; `end` ends the oldest that is under way. */
function observed(mostAtOnce: number) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const lane = createLane<Queued & { name: string }>({
    mostAtOnce,
    gathering: { quietMs: 10, mostMs: 40 },
    run(batch) {
      begun.push(batch.map(({ name }) => name).join(''));
      return new Promise((resolve) => ends.push(resolve));
    },
    emptied: () => begun.push('emptied'),
  });
  return {
    begun,
    push(names: string) {
      for (const name of names) lane.push({ name, since: performance.now() });
    },
    async end() {
      ends.shift()?.();
      await jest.advanceTimersByTimeAsync(0);
    },
    pass: (ms: number) => jest.advanceTimersByTimeAsync(ms),
  };
}

it('begins with all that one turn of the event loop brings, and waits for nobody else at first', async () => {
  const { begun, push, pass } = observed(1);
  push('ab');
  expect(begun).toEqual([]);
  await pass(0);
  expect(begun).toEqual(['ab']);
});

it('after one that came alone the next does not wait', async () => {
  const { begun, push, pass, end } = observed(1);
  push('a');
  await pass(0);
  await end();
  push('b');
  await pass(0);
  expect(begun).toEqual(['a', 'emptied', 'b']);
});

it('after a batch of several the next waits until nobody has come for a while', async () => {
  const { begun, push, pass, end } = observed(2);
  push('ab');
  await pass(0);
  await end();
  push('c');
  await pass(5);
  push('d');
  await pass(5);
  expect(begun).toEqual(['ab', 'emptied']);
  await pass(10);
  expect(begun).toEqual(['ab', 'emptied', 'cd']);
});

it('the first waits so long at most, however many come', async () => {
  const { begun, push, pass, end } = observed(1);
  push('ab');
  await pass(0);
  await end();
  for (const name of 'cdefghij') {
    push(name);
    await pass(5);
  }
  expect(begun).toEqual(['ab', 'emptied']);
  push('k');
  await pass(0);
  expect(begun).toEqual(['ab', 'emptied', 'cdefghijk']);
});

it('does not wait where a whole batch is there', async () => {
  const { begun, push, pass, end } = observed(1);
  push('ab');
  await pass(0);
  await end();
  push('x'.repeat(65));
  await pass(0);
  expect(begun[2]).toBe('x'.repeat(64));
});

it('a second begins beside the first once as many wait as that one has', async () => {
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
