import type { PartyWord, Situation, Transfer } from '../../../src/transfers/engine/record';
import { looksOf } from '../../../src/transfers/engine/step-schedule';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const at = (transfer: Partial<Transfer>, now = NOW): Situation<unknown, PartyWord> => ({
  transfer: {
    quiet: 0,
    doubtedAt: null,
    partyRef: 'x',
    reached: {},
    createdAt: NOW,
    updatedAt: NOW,
    ...transfer,
  } as Transfer<unknown, PartyWord>,
  decisions: [],
  at: now,
});
const kind = (open: boolean, deadline: Date | null = null) => ({
  isOpen: () => open,
  deadline: () => deadline,
});
const inMinutes = (time: Date | null) => time && (time.getTime() - NOW.getTime()) / MINUTE_MS;
const looks = (...given: Parameters<typeof looksOf>) => {
  const { lookAt, dueBy } = looksOf(...given);
  return [inMinutes(lookAt), inMinutes(dueBy)];
};

it('sets no timer when the party has a list of changes, and is overdue after a growing time', () => {
  expect(looks(kind(true), at({}), { listed: true })).toEqual([null, 10]);
  expect(looks(kind(true), at({ quiet: 3 }), { listed: true })).toEqual([null, 80]);
  expect(looks(kind(true), at({ quiet: 30 }), { listed: true })).toEqual([null, 720]);
});

it('sets a timer for a deadline', () => {
  const deadline = new Date(NOW.getTime() + 30 * MINUTE_MS);
  expect(looks(kind(true, deadline), at({}), { listed: true })).toEqual([30, 40]);
  expect(looks(kind(false, deadline), at({}), { listed: true })).toEqual([null, null]);
});

it('looks again at once when the deadline passed between the question and the answer', () => {
  const deadline = new Date(NOW.getTime() - 10);
  const asked = (ms: number) => ({ ...at({}), askedAt: new Date(NOW.getTime() + ms) });
  expect(looksOf(kind(true, deadline), asked(-20), { listed: true }).lookAt).toEqual(deadline);
  expect(looksOf(kind(true, deadline), asked(-5), { listed: true }).lookAt).toBeNull();
});

it('reads a doubted word again after a minute, even after the end', () => {
  expect(looks(kind(false), at({ doubtedAt: NOW }), { listed: true })).toEqual([1, 11]);
});

it('asks a party without a list at growing intervals', () => {
  const seconds = [0, 1, 5, 30].map(
    (quiet) => (looks(kind(true), at({ quiet }), { listed: false })[0] ?? 0) * 60,
  );
  expect(seconds).toEqual([1, 2, 32, 60]);
});

it('asks a party without a list every minute, then at a sixtieth of the wait, at most every ten minutes', () => {
  const HOUR_MS = 60 * MINUTE_MS;
  const pauses = [0.5, 1, 5, 10, 240].map((hours) => {
    const now = new Date(NOW.getTime() + hours * HOUR_MS);
    const { lookAt } = looksOf(kind(true), at({ quiet: 100 }, now), { listed: false });
    return ((lookAt?.getTime() ?? 0) - now.getTime()) / MINUTE_MS;
  });
  expect(pauses).toEqual([1, 1, 5, 10, 10]);
});

it('asks a party without a list twelve times within 120 days after the end', () => {
  const times: number[] = [];
  for (let now = NOW; ; ) {
    const { dueBy } = looksOf(kind(false), at({ reached: { completed: NOW.toISOString() } }, now), {
      listed: false,
    });
    if (!dueBy) break;
    times.push((dueBy.getTime() - NOW.getTime()) / DAY_MS);
    now = dueBy;
  }
  expect([times.length, times[0], times.at(-1)]).toEqual([12, 1, 120]);
  expect(looks(kind(false), at({}), { listed: true })).toEqual([null, null]);
});

it('looks again at a transfer that left an account below zero', () => {
  expect(looks(kind(false), at({}), { listed: true, watched: true })).toEqual([null, 60]);
});
