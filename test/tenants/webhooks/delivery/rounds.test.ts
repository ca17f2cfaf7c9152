import { createRounds } from '../../../../src/tenants/webhooks/delivery/rounds';

/** Rounds whose end the test controls. */
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

it('starts at once, and rests when there was no further request', async () => {
  const rounds = controlled();
  rounds.ask();
  expect(rounds.begun()).toBe(1);
  await rounds.end();
  expect(rounds.begun()).toBe(1);
  rounds.ask();
  expect(rounds.begun()).toBe(2);
});

it('runs one more round for all requests during a round, never two at once', async () => {
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
