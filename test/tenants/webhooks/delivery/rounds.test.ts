import { createRounds } from '../../../../src/tenants/webhooks/delivery/rounds';

/** Rounds that the test ends. */
function controlled() {
  const ends: (() => void)[] = [];
  let under = 0;
  let most = 0;
  const rounds = createRounds(async () => {
    under += 1;
    most = Math.max(most, under);
    await new Promise<void>((resolve) => ends.push(resolve));
    under -= 1;
  });
  return {
    ask: () => rounds.ask(),
    begun: () => ends.length,
    most: () => most,
    async end() {
      ends.at(-1)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it('begins at once, and rests when nobody has asked meanwhile', async () => {
  const rounds = controlled();
  rounds.ask();
  expect(rounds.begun()).toBe(1);
  await rounds.end();
  expect(rounds.begun()).toBe(1);
  rounds.ask();
  expect(rounds.begun()).toBe(2);
});

it('does one more round for all who asked while one was under way, never two at once', async () => {
  const rounds = controlled();
  rounds.ask();
  rounds.ask();
  rounds.ask();
  expect(rounds.begun()).toBe(1);
  await rounds.end();
  expect(rounds.begun()).toBe(2);
  await rounds.end();
  expect(rounds.begun()).toBe(2);
  expect(rounds.most()).toBe(1);
});
