import { setTimeout as sleep } from 'node:timers/promises';
import { createUploadBudget } from '../../src/http/upload-budget';
import { Problem } from '../../src/kernel/errors';

const budget = (given = {}) =>
  createUploadBudget({ tenantBytes: 40, processBytes: 100, waitMs: 5_000, waiting: 3, ...given });

/** A reservation that tells whether it was granted. */
function asked(promise: Promise<() => void>) {
  const state = { granted: false, free: () => undefined as void };
  const granted = (free: () => void) => void Object.assign(state, { granted: true, free });
  void promise.then(granted, () => undefined); // one that is still waiting when the test ends
  return state;
}

it('grants what fits, and makes a tenant wait for its own uploads only', async () => {
  const { reserve } = budget();
  const first = await reserve('one', 30);
  const second = asked(reserve('one', 20));
  const third = asked(reserve('one', 5)); // fits, and is behind the second
  const other = asked(reserve('two', 40));
  await sleep(0);
  expect([second.granted, third.granted, other.granted]).toEqual([false, false, true]);
  first();
  await sleep(0);
  expect([second.granted, third.granted]).toEqual([true, true]);
});

it('bounds all tenants together', async () => {
  const { reserve } = budget();
  const [free] = await Promise.all([reserve('one', 40), reserve('two', 40), reserve('three', 20)]);
  const fourth = asked(reserve('four', 40));
  await sleep(0);
  expect(fourth.granted).toBe(false);
  free();
  await sleep(0);
  expect(fourth.granted).toBe(true);
});

it('gives bytes back once, however often it is told', async () => {
  const { reserve } = budget();
  const free = await reserve('one', 40);
  free();
  free();
  await reserve('one', 40);
  const next = asked(reserve('one', 1));
  await sleep(0);
  expect(next.granted).toBe(false);
});

it('refuses after the wait, and at once when too many wait', async () => {
  const { reserve } = budget({ waitMs: 60, waiting: 1 });
  const free = await reserve('one', 40);
  const waiting = reserve('one', 1).catch((error: unknown) => error);
  const refused = await reserve('one', 1).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Problem);
  expect(refused).toMatchObject({ status: 429, code: 'rate_limited', retryAfter: 1 });
  expect(await waiting).toMatchObject({ status: 429, code: 'rate_limited', retryAfter: 1 });
  free();
  await reserve('one', 40); // nobody holds anything any more
});
