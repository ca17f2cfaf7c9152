import type { WatchedParty } from '../kernel/outbox/queues';
import { closeBreaksOf, openBreakAgain } from '../process/breaks/operations';
import type { Services } from '../services';
import { LISTENERS } from './listeners';
import { forgetUnreadable, noteListRead, noteUnreadable, unreadableSince } from './store';

/** A party may be away for a moment. After so long its transfers are asked for one by one, and a person is told. */
const PATIENCE_MS = 60_000;
/** What is known of the lists is read anew after so long: a step of a transfer need not ask the database each time. */
const KNOWN_FOR_MS = 5_000;

const UNREADABLE = 'party_list_unreadable';

/** What follows from how the readings of one party's list end. */
export function createListState(services: Services, party: WatchedParty) {
  const { database, now, observeUnreadableList } = services;
  /** Absent: not known, for this process has not read it yet. */
  let readable: boolean | undefined;
  let isTold = false;

  return {
    async isRead(): Promise<void> {
      await noteListRead(database, party, now());
      if (readable) return;
      await database.transaction(async (tx) => {
        await forgetUnreadable(tx, party);
        await closeBreaksOf(tx, { subject: party, kinds: [UNREADABLE], at: now() });
      });
      [readable, isTold] = [true, false];
    },
    /** The party does not answer, refuses, or answers what cannot be read; or its rows cannot be applied. */
    async isNotRead(): Promise<void> {
      readable = false;
      observeUnreadableList(party);
      const at = now();
      const since = await noteUnreadable(database, party, at);
      if (isTold || at.getTime() - since.getTime() < PATIENCE_MS) return;
      await database.transaction(async (tx) => {
        await openBreakAgain(tx, { tenantId: null, kind: UNREADABLE, subject: party, detail: 'changes' });
        await LISTENERS[party].askInstead?.(tx, at);
      });
      isTold = true;
    },
  };
}

/**
 * Whether what a party lists is read, as far as was known some seconds ago. Where it has not been for a minute, its transfers
 * are asked for one by one, as those of a party without a list.
 */
export function createListsRead({
  database,
  now,
}: Pick<Services, 'database' | 'now'>): Services['isListRead'] {
  let known: { at: number; since: Promise<ReadonlyMap<string, Date>> } | undefined;
  return async (party) => {
    const at = now().getTime();
    if (!known || at - known.at >= KNOWN_FOR_MS) known = { at, since: unreadableSince(database) };
    const asked = known;
    try {
      const since = (await asked.since).get(party);
      return since === undefined || at - since.getTime() < PATIENCE_MS;
    } catch (error) {
      if (known === asked) known = undefined; // the next step asks again
      throw error;
    }
  };
}
