import type { Tx } from '../kernel/db/database';
import type { WatchedParty } from '../kernel/outbox/queues';
import type { ReadChanges } from '../parties/protocol/changes';
import { nameForLog } from '../parties/protocol/names';
import { openBreakAgain } from '../process/breaks/operations';
import type { Services } from '../services';
import { LISTENERS } from './listeners';
import { type Anchor, anchorOf, forgetPlaces } from './store';

/** An older one says nothing: a party may forget what is long past. */
const MEANINGFUL_MS = 24 * 3_600_000;
/** Pages on which it is looked for: what was committed late may have come to stand before it. */
const PAGES = 20;

/**
 * Whether a change that the party has listed is listed no more. Its list has shrunk then, as one does that was restored from a copy:
 * what comes next may stand before the places that were read. A person is told, those who rest in the trust of the list are
 * asked for, and all places are forgotten, so that it is read from its beginning.
 * @throws PartyAway it cannot be asked just now
 */
export async function hasShrunk(services: Services, party: WatchedParty): Promise<boolean> {
  const { database, log, now, observeUnusable } = services;
  const at = now();
  const anchor = await anchorOf(database, party);
  if (!anchor || at.getTime() - anchor.readAt.getTime() > MEANINGFUL_MS) return false;
  if (await isListed(services.parties[party].changes, anchor)) return false;
  observeUnusable(party, 'list_shrunk');
  log.warn(
    { party, change: nameForLog(anchor.changeId) },
    'the list has shrunk; it is read from its beginning',
  );
  await database.transaction((tx) => beginAnew(tx, party, anchor, at));
  return true;
}

async function isListed(read: ReadChanges, { place, changeId }: Anchor): Promise<boolean> {
  for (let pages = 0, from = place; pages < PAGES; pages += 1) {
    const { changes, next, more } = await read(from);
    if (changes.some(({ id }) => id === changeId)) return true;
    if (!more) return false;
    from = next;
  }
  return true; // nothing is known
}

async function beginAnew(tx: Tx, party: WatchedParty, { changeId }: Anchor, at: Date): Promise<void> {
  await openBreakAgain(tx, {
    ...{ tenantId: null, kind: 'party_list_shrunk', subject: party },
    detail: nameForLog(changeId),
  });
  await LISTENERS[party].askInstead?.(tx, at);
  await forgetPlaces(tx, party);
}
