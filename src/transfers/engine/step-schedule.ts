import { DOUBT_MS } from './follow';
import type { AnyKind } from './kind';
import type { Situation, Transfer } from './record';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Time for the attempts of a step before its workflow counts as lost. */
const GRACE_MS = 10 * MINUTE_MS;
const LONGEST_GRACE_MS = DAY_MS / 2;
const WATCHED_MS = 60 * MINUTE_MS;
const LONGEST_PAUSE_MS = 10 * MINUTE_MS;

/** Days after the end at which a transfer is asked for again, where its party has no change list. */
const LATE_LOOK_DAYS = [1, 2, 4, 7, 11, 16, 23, 32, 45, 65, 90, 120];

/** When the next step runs without a signal. */
export interface Looks {
  /** By the timer of the workflow. */
  lookAt: Date | null;
  /** By the reconciler: a later time means that the workflow or its signal was lost. */
  dueBy: Date | null;
}

/**
 * Computes the time of the next step.
 *
 * A party with a change list is not polled, because its watcher signals. Deadlines have a timer. A doubted word is
 * read again after a minute. A party without a list is asked at growing intervals, also after the end, while money
 * may still be taken back.
 * @param given.listed whether another process watches for changes
 * @param given.watched whether a break may pass by itself
 */
export function looksOf(
  kind: Pick<AnyKind, 'isOpen' | 'deadline'>,
  situation: Situation,
  { listed, watched = false }: { listed: boolean; watched?: boolean },
): Looks {
  const { transfer, at, askedAt = at } = situation;
  const open = kind.isOpen(situation);
  const times = [
    ...(transfer.doubtedAt ? [new Date(transfer.doubtedAt.getTime() + DOUBT_MS)] : []),
    ...(open ? [kind.deadline(situation)] : []),
    ...(open && !listed ? [inMs(at, pauseOf(transfer, at))] : []),
    // A time that passed while the party answered is kept, so that another step follows at once.
  ].filter((time): time is Date => time !== null && time > askedAt);
  const lookAt = times.sort((a, b) => a.getTime() - b.getTime())[0] ?? null;
  if (lookAt) return { lookAt, dueBy: inMs(lookAt, GRACE_MS) };
  if (open) return { lookAt, dueBy: inMs(at, Math.min(GRACE_MS * 2 ** transfer.quiet, LONGEST_GRACE_MS)) };
  if (watched) return { lookAt, dueBy: inMs(at, WATCHED_MS) };
  return { lookAt, dueBy: listed || transfer.partyRef === null ? null : lateLook(transfer, at) };
}

/**
 * Pause until an unwatched transfer is asked for again. Doubles up to a minute, so that in the first hour a word is
 * found within 90 seconds. Then it is a sixtieth of the waiting time, at most ten minutes, because settlements take
 * days. A word is then found late by less than two per cent of its wait.
 */
function pauseOf({ quiet, updatedAt }: Transfer, at: Date): number {
  const waited = at.getTime() - updatedAt.getTime();
  const longest = Math.min(Math.max(MINUTE_MS, waited / 60), LONGEST_PAUSE_MS);
  return Math.min(SECOND_MS * 2 ** quiet, longest);
}

function lateLook({ reached, createdAt }: Transfer, at: Date): Date | null {
  const ended = Math.max(createdAt.getTime(), ...Object.values(reached).map((time) => Date.parse(time)));
  const times = LATE_LOOK_DAYS.map((days) => ended + days * DAY_MS);
  const next = times.find((time) => time > at.getTime());
  return next === undefined ? null : new Date(next);
}

const inMs = (from: Date, ms: number) => new Date(from.getTime() + ms);
