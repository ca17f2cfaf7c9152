/** @isolated replaces timers. */
import { eventsCommitted } from '../../../../src/kernel/outbox/events';
import { createDuePoll } from '../../../../src/tenants/webhooks/delivery/due-poll';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

/** The next look of the lookout, of events that wait for a later attempt. */
const untilLook = () => new Promise<void>((resolve) => setTimeout(resolve, 250));

/** A poll that finds nothing. Runs take the given milliseconds, 1 ms by default. Returns when each began. */
function polling(takesMs: number[] = []) {
  const began: number[] = [];
  const start = performance.now();
  const poll = createDuePoll(async () => {
    began.push(Math.round(performance.now() - start));
    await new Promise((resolve) => setTimeout(resolve, takesMs.shift() ?? 1));
    return 0;
  }, untilLook);
  return { poll, began };
}

/** @returns start of each poll, in milliseconds */
async function pollsOf(takesMs: number[], forMs: number): Promise<number[]> {
  const { poll, began } = polling(takesMs);
  poll.start();
  await pass(forMs);
  poll.stop();
  return began;
}

it('pauses longer after a longer poll', async () => {
  const [first, second] = await pollsOf([100], 5_000);
  expect([first, second]).toEqual([0, 1_000]);
});

it('polls again soon after a poll that hung', async () => {
  const [first, second] = await pollsOf([25_000], 40_000);
  expect(first).toBe(0);
  expect(second).toBeGreaterThan(25_000);
  expect(second).toBeLessThanOrEqual(27_000);
});

it('polls at once after a commit of events, also during a poll', async () => {
  const { poll, began } = polling([1, 100]);
  poll.start();
  await pass(50);
  eventsCommitted.publish(undefined);
  await pass(50); // the second poll is under way
  eventsCommitted.publish(undefined);
  eventsCommitted.publish(undefined);
  await pass(1_000);
  poll.stop();
  expect(began.slice(0, 3)).toEqual([0, 50, 1_050]); // after the pause that a poll of 100 ms requires
});

it('stops polling when stopped, and resumes when started', async () => {
  const { poll, began } = polling([20]);
  poll.start();
  poll.start();
  await pass(10);
  poll.stop(); // during a poll
  eventsCommitted.publish(undefined);
  await pass(1_000);
  expect(began).toEqual([0]);
  poll.start();
  await pass(1);
  poll.stop();
  expect(began).toEqual([0, 1_010]);
});

it('never polls twice at once when it is restarted before its last poll has ended', async () => {
  const { poll, began } = polling([100, 100]);
  poll.start();
  await pass(10);
  poll.stop();
  poll.start();
  await pass(1_050);
  poll.stop();
  expect(began).toEqual([0, 1_000]);
});
