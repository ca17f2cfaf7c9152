import { setTimeout as sleep } from 'node:timers/promises';
import type { CardServices } from '../cards/services';
import { lookoutOf, NONE } from '../kernel/db/lookout';
import type { WatchedParty } from '../kernel/outbox/queues';
import type { ChangesPage } from '../parties/protocol/changes';
import { openBreak } from '../process/breaks/operations';
import { PartyAway } from '../process/party-errors';
import type { Services } from '../services';
import { hasShrunk } from './anchor';
import { deliverPage, OVERLAP_MS, type ReadPage } from './deliver-page';
import { createListLoopGuard, ListUnusable } from './list-loop-guard';
import { createListState } from './list-state';
import { LISTENERS } from './listeners';
import { lastLoss } from './lost-commits';
import { type Anchor, anchorOf, placeBefore } from './store';

/** Interval of readings. A change that is still unknown at the next reading is told, because its callback was lost. */
const EVERY_MS = 3_000;
/** Interval at which the overlap is read again. */
const AGAIN_EVERY_MS = 30_000;
/** Time for which told changes are remembered, longer than the overlap. */
const REMEMBERED_MS = 2 * OVERLAP_MS;

/** Most pages of a turn. The next turn continues. */
const MAX_PAGES = 1_000;

/** Interval of heartbeats, because a page may take many requests. */
const BEAT_MS = 5_000;

export interface Watching {
  /** Ends the watch. */
  signal: AbortSignal;
  /** Sends a heartbeat. */
  beat(): void;
  everyMs?: number;
  beatMs?: number;
}

/**
 * Reads a party's list of changes and tells the records it concerns to look, so that nothing depends on callbacks.
 * Stateless: a new run reads the last two minutes again.
 */
export async function watchParty(
  services: CardServices,
  party: WatchedParty,
  { signal, beat, everyMs = EVERY_MS, beatMs = BEAT_MS }: Watching,
): Promise<void> {
  const pulse = setInterval(beat, beatMs);
  try {
    const reading = 'changes' in services.parties[party] ? createReading(services, party) : undefined;
    const state = createListState(services, party);
    while (!signal.aborted) {
      beat();
      if (reading) await turn(services, party, { reading, state, signal });
      await pause(everyMs, signal);
    }
  } finally {
    clearInterval(pulse);
  }
}

interface Turn {
  reading: ReturnType<typeof createReading>;
  state: ReturnType<typeof createListState>;
  signal: AbortSignal;
}

/** Takes one reading. Repeats a failed one in the next turn, and lets people see how long it has failed. */
async function turn(
  { log, observeUnusable }: Services,
  party: WatchedParty,
  { reading, state, signal }: Turn,
): Promise<void> {
  try {
    await reading.read(signal);
  } catch (error) {
    const { fault } = error instanceof ListUnusable ? error : {};
    if (fault) observeUnusable(party, fault);
    if (error instanceof PartyAway)
      log.warn({ party, fault }, 'the list of changes of a party cannot be read; it is asked again');
    else log.error({ party, err: error }, 'the list of the party cannot be read on; it is tried again');
    return state.isNotRead();
  }
  if (!signal.aborted) await state.isRead();
}

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined);

/** Reads one party's list. Remembers seen changes, and pages that wait for the next turn. */
export function createReading(services: CardServices, party: WatchedParty) {
  const { database, now } = services;
  const { inTurn, reports } = LISTENERS[party];
  const book = reports?.booking(services);
  const seen = new Map<string, number>();
  const waiting: ReadPage[] = [];
  /** Ids of rows that could not be applied. A reading that meets one again tries it again. */
  const passed = new Set<string>();
  let place: string | null | undefined;
  /** The places that Postgres knows. Absent: unknown, because a page was told since. */
  let stored: { overlapFrom: string | null; anchor: Anchor | undefined } | undefined;
  let againAt = 0;
  /** A page was told since, or the last turn woke some, so records may wait for their turn. */
  let mayDefer = true;
  /** The reading before ended before the list's end. */
  let isCut = false;
  /** The list has shrunk, or commits were lost. Content may have changed under a known version. */
  let isAnew = false;
  /** The last loss of commits that this reading knows of. */
  let loss: number | undefined;

  /** In order, so that a place is noted only after everything before it was told. */
  async function tellThoseRead(before: Date): Promise<void> {
    for (let page = waiting[0]; page && page.readAt <= before; page = waiting[0]) {
      if (!isKnownEnd(page)) await tell(page);
      waiting.shift();
    }
  }

  async function wakeInTurn(): Promise<void> {
    if (!inTurn || (!mayDefer && (await lookoutOf(database).value(inTurn.sign)) === NONE)) return;
    mayDefer = (await database.transaction((tx) => inTurn.wake(services, tx))) > 0;
  }

  /** Whether a page has nothing new, and its place is where the overlap begins already. A list at rest is not written about. */
  const isKnownEnd = ({ changes, from, place: end }: ReadPage): boolean =>
    changes.length === 0 && (end === null || (end === from && end === stored?.overlapFrom));

  async function tell(page: ReadPage): Promise<void> {
    [stored, mayDefer] = [undefined, true];
    for (const { id } of await deliverPage(services, party, page, { passedBefore: passed, book })) {
      passed.add(id);
      seen.delete(id);
    }
  }

  /** Stores the page at once, so that a failure of the next page neither repeats nor loses this one. */
  async function readPage(from: string | null): Promise<ChangesPage> {
    const readAt = now();
    const page: ChangesPage = await services.parties[party].changes(from);
    await tellUnreadable(
      services,
      party,
      page.unreadable.filter((row) => !seen.has(unreadable(row))),
    );
    for (const row of page.unreadable) seen.set(unreadable(row), readAt.getTime());
    const changes = page.changes.filter(({ id }) => !seen.has(id));
    for (const { id } of page.changes) seen.set(id, readAt.getTime());
    place = page.next ?? from;
    waiting.push({ from, changes, place, readAt, isAnew });
    return page;
  }

  /** @returns whether the end of the list was reached */
  async function readOn(begin: string | null, signal: AbortSignal | undefined): Promise<boolean> {
    const loopGuard = createListLoopGuard();
    let from = begin;
    for (let pages = 0; pages < MAX_PAGES && !signal?.aborted; pages += 1) {
      const page = await readPage(from);
      loopGuard.pass(from, page);
      if (!page.more) return true;
      await tellThoseRead(new Date(now().getTime() - EVERY_MS));
      from = page.next;
    }
    return false;
  }

  /** @returns where to begin, and whether that repeats the overlap */
  async function beginning(at: Date): Promise<{ from: string | null; again: boolean }> {
    if (place !== undefined && (isCut || at.getTime() < againAt)) return { from: place, again: false };
    stored ??= {
      overlapFrom: await placeBefore(database, party, OVERLAP_MS),
      anchor: await anchorOf(database, party),
    };
    const { overlapFrom: from } = stored;
    againAt = at.getTime() + AGAIN_EVERY_MS;
    return { from, again: true };
  }

  /** Begins at the stored places, as if this process had read nothing. Waiting pages are told nevertheless. */
  function forget(): void {
    seen.clear();
    isAnew = true;
    for (const page of waiting) Object.assign(page, { place: null, from: null });
    [place, stored, againAt] = [undefined, undefined, 0];
  }

  return {
    /**
     * Tells the changes of the turn before, and reads new ones. A backlog is told while it is read.
     * @param signal ends the reading between two pages
     */
    async read(signal?: AbortSignal): Promise<void> {
      const at = now();
      const lossNow = await lastLoss(database);
      if (loss !== undefined && loss !== lossNow) forget();
      loss = lossNow;
      await tellThoseRead(at);
      await wakeInTurn();
      const { from, again } = await beginning(at);
      isCut = false;
      isCut = !(await readOn(from, signal));
      if (!isCut) isAnew = false;
      if (again && !isCut && stored?.anchor && (await hasShrunk(services, party, stored.anchor))) forget();
      for (const [id, seenAt] of seen) if (seenAt < at.getTime() - REMEMBERED_MS) seen.delete(id);
    },
  };
}

/** Shows an unreadable row to a person, once, and passes it. */
async function tellUnreadable(
  { database, log, observeUnusable }: Services,
  party: WatchedParty,
  rows: readonly string[],
): Promise<void> {
  for (const detail of rows) {
    observeUnusable(party, 'list_row');
    log.warn({ party, row: detail }, 'a row of the list cannot be read; it is passed');
    await openBreak(database, { tenantId: null, kind: 'party_row_unreadable', subject: party, detail });
  }
}

/** Key of an unreadable row, distinct from ids of changes. */
const unreadable = (row: string): string => `unreadable ${row}`;
