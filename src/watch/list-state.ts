import type { WatchedParty } from '../kernel/outbox/queues';
import { closeBreaksOf, openBreakAgain } from '../process/breaks/operations';
import type { Services } from '../services';
import { LISTENERS } from './listeners';
import { lastLoss } from './lost-commits';
import { forgetUnreadable, noteListRead, noteUnreadable, unreadableSince } from './store';

/** Outage of a list after which its transfers are polled and a person is shown a break. */
const PATIENCE_MS = 60_000;
/** Each reading is noted for a minute after the start and after a loss of commits, because orders wait for it then. */
const NOTED_EACH_MS = 60_000;
/** Interval of notes afterwards. */
const NOTED_EVERY_MS = 180_000;
/** Cache time of the lists' state, so that a step of a transfer makes no query of its own. */
const KNOWN_FOR_MS = 5_000;

const UNREADABLE = 'party_list_unreadable';

/** Tracks whether one party's list can be read. */
export function createListState(services: Services, party: WatchedParty) {
  const { database, now, observeUnreadableList, productClock } = services;
  /** Absent before the first reading of this process. */
  let readable: boolean | undefined;
  let isTold = false;
  let loss: number | undefined;
  let eachUntil = performance.now() + NOTED_EACH_MS;
  let notedAt = Number.NEGATIVE_INFINITY;
  let offset = productClock.offsetMs();

  async function noteRead(): Promise<void> {
    const lossNow = await lastLoss(database);
    const at = performance.now();
    if (loss !== undefined && loss !== lossNow) eachUntil = at + NOTED_EACH_MS;
    loss = lossNow;
    const isAdvanced = productClock.offsetMs() !== offset;
    offset = productClock.offsetMs();
    if (at > eachUntil && at - notedAt < NOTED_EVERY_MS && !isAdvanced) return;
    await noteListRead(database, party, now());
    notedAt = at;
  }

  return {
    async isRead(): Promise<void> {
      await noteRead();
      if (readable) return;
      await database.transaction(async (tx) => {
        await forgetUnreadable(tx, party);
        await closeBreaksOf(tx, { subject: party, kinds: [UNREADABLE], at: now() });
      });
      [readable, isTold] = [true, false];
    },
    /** Called when the party does not answer, refuses, answers unreadably, or its rows cannot be applied. */
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
 * Whether a party's list is being read, as of some seconds ago. After a minute without a reading, its transfers are
 * polled like those of a party without a list.
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
