import { setTimeout as sleep } from 'node:timers/promises';
import type { MoneyParty } from '../../kernel/outbox/queues';
import type { ChangesPage, PartyChange } from '../../parties/protocol/changes';
import { openBreak } from '../../process/breaks/operations';
import { PartyAway } from '../../process/party-errors';
import type { Services } from '../../services';
import { tellOf } from '../discover';
import { transfersOfParty } from '../engine/read';
import { notePlace, placeBefore } from './store';

/** From one reading to the next. A change that is still unknown at the next one is told: its callback was lost. */
const EVERY_MS = 3_000;
/** Parties commit late, and clocks differ: so often the last two minutes are read again. */
const AGAIN_EVERY_MS = 30_000;
const OVERLAP_MS = 120_000;
/** What was told is remembered for longer than it is read again. */
const REMEMBERED_MS = 2 * OVERLAP_MS;

export interface Watching {
  /** Ends the watch. */
  signal: AbortSignal;
  /** Says that it is alive. */
  beat(): void;
  everyMs?: number;
}

/**
 * Reads what a party lists of what has changed and says "look" to whoever it concerns, so that nothing depends on its
 * callbacks. It holds no truth: begun anywhere again, it reads the last two minutes twice.
 */
export async function watchParty(
  services: Services,
  party: MoneyParty,
  { signal, beat, everyMs = EVERY_MS }: Watching,
): Promise<void> {
  if (!('changes' in services.parties[party])) return idle(signal, beat, everyMs);
  const reading = createReading(services, party);
  while (!signal.aborted) {
    beat();
    await reading.read(beat).catch((error: unknown) => {
      if (!(error instanceof PartyAway)) throw error;
      services.log.warn({ party }, 'the party does not say what has changed; it is asked again');
    });
    await pause(everyMs, signal);
  }
}

/** A party without a list is asked for each transfer instead. */
async function idle(signal: AbortSignal, beat: () => void, everyMs: number): Promise<void> {
  while (!signal.aborted) {
    beat();
    await pause(everyMs, signal);
  }
}

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined);

/** The reading of one party's list: what was seen, and what waits for the next turn. */
export function createReading(services: Services, party: MoneyParty) {
  const seen = new Map<string, number>();
  let waiting: PartyChange[] = [];
  let place: string | null | undefined;
  let againAt = 0;

  /** All pages after a place. @returns where they end */
  async function pagesFrom(after: string | null, beat: () => void): Promise<PartyChange[]> {
    const fresh: PartyChange[] = [];
    for (let from = after; ; ) {
      const page: ChangesPage = await services.parties[party].changes(from);
      await tellUnreadable(services, party, page.unreadable);
      fresh.push(...page.changes.filter(({ id }) => !seen.has(id)));
      for (const { id } of page.changes) seen.set(id, services.now().getTime());
      from = page.next ?? from;
      beat();
      if (!page.more) {
        place = from;
        return fresh;
      }
    }
  }

  return {
    async read(beat: () => void = () => undefined): Promise<void> {
      const at = services.now();
      const again = place === undefined || at.getTime() >= againAt;
      const overlap = new Date(at.getTime() - OVERLAP_MS);
      const after = again ? await placeBefore(services.database, party, overlap) : (place ?? null);
      if (again) againAt = at.getTime() + AGAIN_EVERY_MS;
      const due = waiting;
      const fresh = await pagesFrom(after, beat);
      waiting = [...due, ...fresh]; // what could not be told is told in the next turn
      await tell(services, party, due);
      waiting = fresh;
      if (place !== null && place !== undefined)
        await notePlace(services.database, { party, place, readAt: at }, overlap);
      for (const [id, seenAt] of seen) if (seenAt < at.getTime() - REMEMBERED_MS) seen.delete(id);
    },
  };
}

/** Says "look" for what is not known yet; what no transfer has may be money that nobody ordered. */
async function tell(services: Services, party: MoneyParty, changes: readonly PartyChange[]): Promise<void> {
  if (changes.length === 0) return;
  const versions = new Map<string, number | undefined>();
  for (const { ref, version } of changes) versions.set(ref, newer(versions.get(ref), version));
  const known = await transfersOfParty(services.database, party, [...versions.keys()]);
  for (const { partyRef, version } of known)
    if (version !== null && version >= (versions.get(partyRef) ?? Number.POSITIVE_INFINITY))
      versions.delete(partyRef);
  if (versions.size === 0) return;
  await services.database.transaction((tx) => tellOf(services, tx, party, [...versions.keys()]));
}

const newer = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? other : Math.max(one, other);

/** A row that cannot be read is shown to a person, once, and passed. */
async function tellUnreadable(services: Services, party: MoneyParty, rows: readonly string[]): Promise<void> {
  for (const detail of rows)
    await openBreak(services.database, {
      tenantId: null,
      kind: 'party_row_unreadable',
      subject: party,
      detail,
    });
}
