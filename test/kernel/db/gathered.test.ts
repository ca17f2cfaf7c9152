import { gathered } from '../../../src/kernel/db/gathered';

it('runs once at a time, and gathers calls during a run into the next one, whose result they share', async () => {
  const runs: { items: number[]; end: (failure?: Error) => void }[] = [];
  const add = gathered(
    (items: number[]) =>
      new Promise<number>((resolve, reject) => {
        runs.push({ items, end: (failure) => (failure ? reject(failure) : resolve(items.length)) });
      }),
  );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const first = add(1);
  await settled();
  const later = [add(2), add(3)];
  await settled();
  expect(runs.map(({ items }) => items)).toEqual([[1]]);
  const failed = expect(first).rejects.toThrow('broken');
  runs[0]?.end(new Error('broken'));
  await failed;
  await settled();
  expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  runs[1]?.end();
  expect(await Promise.all(later)).toEqual([2, 2]);
});
