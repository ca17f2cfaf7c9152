import {
  attemptEnded,
  claimEnded,
  claimSent,
  dueFound,
  failureRecorded,
  isIdle,
  type Job,
  type Lane,
  type LaneEvent,
  newLane,
  roomOf,
  stateAfter,
  takeJobs,
  UNDER_WAY,
} from '../../../../src/tenants/webhooks/delivery/lane';

const job = (number: number, claimedAt = 0): Job => ({
  shard: 0,
  tenantId: 'cli_1',
  registration: 'card',
  number: String(number),
  createdAt: new Date(0),
  event: 'card_transaction',
  dataId: 'ctx_1',
  data: '{}',
  idempotencyKey: null,
  attempts: 0,
  url: 'https://example.com/',
  urlId: 1,
  dueAt: new Date(0),
  troubled: false,
  traceparent: null,
  claimedAt,
  fence: 1,
});
const jobs = (count: number, claimedAt = 0) =>
  Array.from({ length: count }, (_, index) => job(index, claimedAt));

const lane = () => newLane({ shard: 0, tenantId: 'cli_1', registration: 'card' }, 0);

/** A lane with due events, of which the requested number is claimed. */
function claimed(of: Lane, now = 0): Job[] {
  dueFound(of, now);
  const { room } = claimSent(of, roomOf(of));
  claimEnded(of, jobs(room, now), room);
  return takeJobs(of, now).begun;
}

/** Successful attempts one after another, at this interval in milliseconds. */
function deliver(of: Lane, count: number, everyMs: number, from = 0): number {
  let now = from;
  for (let done = 0; done < count; done += 1) {
    of.underWay += 1;
    now += everyMs;
    attemptEnded(of, 'delivered', now);
  }
  return now;
}

const after = (...events: LaneEvent[]) =>
  events.reduce((state, on) => stateAfter(state, on, 0), lane().state).is;

it('follows its table', () => {
  expect(after()).toBe('probing');
  expect(after('delivered')).toBe('open');
  expect(after('delivered', 'delivered')).toBe('open');
  expect(after('failed')).toBe('held');
  expect(after('delivered', 'failed')).toBe('held');
  expect(after('failed', 'failure_recorded')).toBe('probing');
});

it('stays held until every failure is recorded, whatever else succeeds', () => {
  expect(after('delivered', 'failed', 'failed', 'delivered')).toBe('held');
  expect(after('delivered', 'failed', 'failed', 'failure_recorded')).toBe('held');
  expect(after('delivered', 'failed', 'failed', 'failure_recorded', 'delivered', 'failure_recorded')).toBe(
    'probing',
  );
});

it('claims one event until the first success, then doubles up to eight at once', () => {
  const probing = lane();
  dueFound(probing, 0);
  expect(roomOf(probing)).toBe(1);
  expect(claimed(probing)).toHaveLength(1);
  const atOnce: number[] = [];
  for (let delivered = 0; delivered < 4; delivered += 1) {
    attemptEnded(probing, 'delivered', 0);
    while (probing.underWay > 0) attemptEnded(probing, 'unsent', 0);
    atOnce.push(claimed(probing).length);
  }
  expect(atOnce).toEqual([2, 4, 8, UNDER_WAY]);
});

it('claims ahead the throughput of 200 ms, at most 256', () => {
  const steady = lane();
  deliver(steady, 101, 1);
  dueFound(steady, 101);
  expect(roomOf(steady)).toBe(UNDER_WAY + 200);
  const fast = lane();
  deliver(fast, 801, 0.125);
  dueFound(fast, 101);
  expect(roomOf(fast)).toBe(UNDER_WAY + 256);
});

it('claims again when half of its room is free and more may be due', () => {
  const open = lane();
  deliver(open, 3, 1);
  dueFound(open, 3);
  claimSent(open, 8);
  claimEnded(open, jobs(8), 8);
  expect(open.mayHaveDue).toBe(true); // the claim was full
  expect(takeJobs(open, 3).begun).toHaveLength(8);
  const rooms: number[] = [];
  for (let delivered = 0; delivered < 4; delivered += 1) {
    attemptEnded(open, 'delivered', 4);
    rooms.push(roomOf(open));
  }
  expect(rooms).toEqual([0, 0, 0, 4]);
  claimSent(open, 4);
  claimEnded(open, jobs(3), 4);
  expect(open.mayHaveDue).toBe(false);
  expect(roomOf(open)).toBe(0);
});

it('knows that more is due when a poll finds events during a claim', () => {
  const probing = lane();
  dueFound(probing, 0);
  claimSent(probing, 1);
  dueFound(probing, 1);
  claimEnded(probing, [], 1);
  expect(roomOf(probing)).toBe(1);
});

it('gives back unsent events when an attempt fails, and continues when the failure is recorded', () => {
  const open = lane();
  deliver(open, 101, 1);
  expect(claimed(open, 101)).toHaveLength(8);
  attemptEnded(open, 'failed', 102);
  const { begun, givenBack } = takeJobs(open, 102);
  expect(begun).toEqual([]);
  expect(givenBack).toHaveLength(200);
  expect(roomOf(open)).toBe(0);
  dueFound(open, 103);
  expect(roomOf(open)).toBe(0);
  claimEnded(open, [job(1)], 1); // from a claim that was under way
  expect(takeJobs(open, 103)).toEqual({ begun: [], givenBack: [job(1)] });
  failureRecorded(open, 104);
  for (let delivered = 0; delivered < 7; delivered += 1) attemptEnded(open, 'unsent', 105);
  expect(roomOf(open)).toBe(1);
});

it('gives back events that have waited for a second, because URL and secret may have changed', () => {
  const probing = lane();
  claimEnded(probing, [job(1, 0), job(2, 1), job(3, 500)], 3);
  probing.mayHaveDue = false;
  const { begun, givenBack } = takeJobs(probing, 1_000);
  expect(givenBack.map(({ number }) => number)).toEqual(['1']);
  expect(begun.map(({ number }) => number)).toEqual(['2']);
  expect(probing.mayHaveDue).toBe(true);
});

it('ignores an event that could not be signed', () => {
  const probing = lane();
  claimed(probing);
  attemptEnded(probing, 'unsent', 1);
  expect(probing.state.is).toBe('probing');
  expect(probing.underWay).toBe(0);
});

it('records successes after a failure, until a claim finds the endpoint without failures', () => {
  const one = lane();
  claimEnded(one, [job(1)], 1);
  expect(one.troubled).toBe(false);
  takeJobs(one, 0);
  attemptEnded(one, 'failed', 1);
  expect(one.troubled).toBe(true);
  failureRecorded(one, 2);
  claimSent(one, 1);
  claimEnded(one, [], 1);
  expect(one.troubled).toBe(true);
  claimSent(one, 1);
  claimEnded(one, [{ ...job(2), troubled: true }], 1);
  expect(one.troubled).toBe(true);
  claimSent(one, 1);
  claimEnded(one, [job(3)], 1);
  expect(one.troubled).toBe(false);
});

it('keeps recording when a claim was sent before a failure and ends after it', () => {
  const one = lane();
  deliver(one, 2, 1);
  claimSent(one, 4);
  one.underWay += 1;
  attemptEnded(one, 'failed', 3);
  failureRecorded(one, 4);
  claimEnded(one, [job(1)], 4);
  expect(one.troubled).toBe(true);
  claimSent(one, 4);
  claimEnded(one, [job(2)], 4);
  expect(one.troubled).toBe(false);
});

it('is idle when it holds no events', () => {
  const one = lane();
  expect(isIdle(one)).toBe(true);
  claimed(one);
  expect(isIdle(one)).toBe(false);
  attemptEnded(one, 'failed', 1);
  expect(isIdle(one)).toBe(false); // not recorded yet
  failureRecorded(one, 2);
  expect(isIdle(one)).toBe(true);
});
