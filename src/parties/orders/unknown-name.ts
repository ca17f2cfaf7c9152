import type { Logger } from 'pino';
import type { Tx } from '../../kernel/db/database';
import type { Observers } from '../../kernel/metrics/observers';
import { openBreak } from '../../process/breaks/operations';
import { nameForLog } from '../protocol/names';

/** A party that only takes our orders has told of one that we never gave. */
const UNKNOWN = 'party_order_unknown';

/** What showing it needs of the services. */
export interface Showing extends Pick<Observers, 'observeUnusable'> {
  log: Logger;
}

/** Every record of such a party is an order of ours: one that we do not know may be ours all the same. */
export async function showUnknown(
  services: Showing,
  tx: Tx,
  party: string,
  refs: readonly string[],
): Promise<void> {
  for (const ref of refs) {
    tellUnusable(services, party, 'unknown_name', ref);
    await openBreak(tx, { tenantId: null, kind: UNKNOWN, subject: ref, detail: party });
  }
}

export function tellUnusable(
  { log, observeUnusable }: Showing,
  party: string,
  what: 'word' | 'unknown_name',
  ref: string,
): void {
  observeUnusable(party, what);
  log.warn({ party, what, ref: nameForLog(ref) }, 'what the party says cannot be used');
}
