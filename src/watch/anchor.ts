import type { Tx } from '../kernel/db/database';
import type { WatchedParty } from '../kernel/outbox/queues';
import type { ReadChanges } from '../parties/protocol/changes';
import { nameForLog } from '../parties/protocol/names';
import { openBreakAgain } from '../process/breaks/operations';
import type { Services } from '../services';
import { LISTENERS } from './listeners';
import { type Anchor, forgetPlaces } from './store';

/** Age above which an anchor proves nothing, because a party may drop old changes. */
const MEANINGFUL_MS = 24 * 3_600_000;
/** Pages to search, because changes that were committed late may stand before the anchor. */
const PAGES = 20;

/**
 * Detects a list that no longer has a change that it had, for instance after a restore. The read places then mean
 * something else. Opens a break, makes resting transfers due and forgets all places, so that the list is read from its
 * beginning.
 * @throws PartyAway when the party does not answer
 */
export async function hasShrunk(services: Services, party: WatchedParty, anchor: Anchor): Promise<boolean> {
  const { database, log, now, observeUnusable } = services;
  const at = now();
  if (at.getTime() - anchor.readAt.getTime() > MEANINGFUL_MS) return false;
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
  return true; // undecided
}

async function beginAnew(tx: Tx, party: WatchedParty, { changeId }: Anchor, at: Date): Promise<void> {
  await openBreakAgain(tx, {
    tenantId: null,
    kind: 'party_list_shrunk',
    subject: party,
    detail: nameForLog(changeId),
  });
  await LISTENERS[party].askInstead?.(tx, at);
  await forgetPlaces(tx, party);
}
