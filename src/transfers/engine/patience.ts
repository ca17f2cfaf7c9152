import { DOUBT_MS } from './follow';
import type { AnyKind } from './kind';
import type { Situation, Transfer } from './record';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** What the attempts of a step may take beyond its time before its workflow counts as lost. */
const GRACE_MS = 10 * MINUTE_MS;
const LONGEST_GRACE_MS = DAY_MS / 2;
const WATCHED_MS = 60 * MINUTE_MS;
const LONGEST_PAUSE_MS = 10 * MINUTE_MS;

/** After its end a transfer is asked for again so many days later, where its party has no list of what has changed. */
const LATE_LOOK_DAYS = [1, 2, 4, 7, 11, 16, 23, 32, 45, 65, 90, 120];

/** When a transfer is looked at again without being told. */
export interface Looks {
  /** By its own workflow's timer. */
  lookAt: Date | null;
  /** Later than that its workflow was lost, or its wake-up: the reconciler tells it to look. */
  dueBy: Date | null;
}

/**
 * A party that lists what has changed is not polled: its watcher says "look". What only time changes has a timer; a word
 * that is doubted is read again a minute later; a party without a list is asked at growing intervals, after the end too,
 * for as long as money may be taken back.
 * @param given.listed whether the party has such a list
 * @param given.watched whether a break of it may have passed by itself
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
    // What has come since the party was asked is looked at again at once.
  ].filter((time): time is Date => time !== null && time > askedAt);
  const lookAt = times.sort((a, b) => a.getTime() - b.getTime())[0] ?? null;
  if (lookAt) return { lookAt, dueBy: inMs(lookAt, GRACE_MS) };
  if (open) return { lookAt, dueBy: inMs(at, Math.min(GRACE_MS * 2 ** transfer.quiet, LONGEST_GRACE_MS)) };
  if (watched) return { lookAt, dueBy: inMs(at, WATCHED_MS) };
  return { lookAt, dueBy: listed || transfer.partyRef === null ? null : lateLook(transfer, at) };
}

/**
 * Until what nobody lists is asked for again: twice as long each time up to a minute, so that in its first hour a word is
 * found within ninety seconds. Then a sixtieth of the time that it has waited, for a settlement takes days and is one of
 * many: what is found late is late by less than two per cent, and by ten minutes at most.
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
