/** @isolated replaces timers. */
import { createLane, type Queued } from '../../../../src/cards/events/batches/lane';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A lane with the batches that it has begun, by the names of their items. `end` ends the oldest batch under way. */
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

it('begins with all items of one turn of the event loop, without waiting for more', async () => {
  const { begun, push, pass } = observed(1);
  push('ab');
  expect(begun).toEqual([]);
  await pass(0);
  expect(begun).toEqual(['ab']);
});

it('does not wait after a batch of one item', async () => {
  const { begun, push, pass, end } = observed(1);
  push('a');
  await pass(0);
  await end();
  push('b');
  await pass(0);
  expect(begun).toEqual(['a', 'emptied', 'b']);
});

it('waits after a batch of several items until no item has come for a while', async () => {
  const { begun, push, pass, end } = observed(2);
  push('abc');
  await pass(0);
  await end();
  push('d');
  await pass(5);
  push('e');
  await pass(5);
  expect(begun).toEqual(['abc', 'emptied']);
  await pass(10);
  expect(begun).toEqual(['abc', 'emptied', 'de']);
});

it('is bounded in that wait, however many items come', async () => {
  const { begun, push, pass, end } = observed(1);
  const many = 'x'.repeat(20);
  push(many);
  await pass(0);
  await end();
  for (const name of 'cdefghij') {
    push(name);
    await pass(5);
  }
  expect(begun).toEqual([many, 'emptied']);
  push('k');
  await pass(0);
  expect(begun).toEqual([many, 'emptied', 'cdefghijk']);
});

it('waits no longer when as many items have come as the last batch had', async () => {
  const { begun, push, pass, end } = observed(1);
  push('abc');
  await pass(0);
  await end();
  push('d');
  await pass(5);
  push('ef');
  await pass(0);
  expect(begun).toEqual(['abc', 'emptied', 'def']);
});

it('does not wait when a full batch is queued', async () => {
  const { begun, push, pass, end } = observed(1);
  push('ab');
  await pass(0);
  await end();
  push('x'.repeat(65));
  await pass(0);
  expect(begun[2]).toBe('x'.repeat(64));
});

it('begins a second batch beside the first when as many items wait as the first has', async () => {
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

it('does not wait for more while a batch is under way', async () => {
  const { begun, push, pass, end } = observed(2);
  push('ab');
  await pass(0);
  push('cd');
  await pass(0);
  await end();
  push('ef');
  await pass(0);
  expect(begun).toEqual(['ab', 'cd', 'ef']);
});

it('never has more batches under way than allowed', async () => {
  const { begun, push, pass, end } = observed(2);
  push('a');
  await pass(0);
  push('b');
  await pass(0);
  push('cdef');
  await pass(50);
  expect(begun).toEqual(['a', 'b']);
  await end();
  expect(begun).toEqual(['a', 'b', 'cdef']);
});
