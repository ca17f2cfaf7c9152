import type { Logger } from 'pino';
import type { Tx } from '../../kernel/db/database';
import type { Observers } from '../../kernel/metrics/observers';
import { UNKNOWN_ORDER } from '../../process/breaks/kinds';
import { openBreak } from '../../process/breaks/operations';
import { nameForLog } from '../protocol/names';

/** The services that a break and its log line need. */
export interface Showing extends Pick<Observers, 'observeUnusable'> {
  log: Logger;
}

/**
 * Opens a break for each unknown key. The party has only orders of ours, so an unknown key may be a lost order.
 */
export async function showUnknown(
  services: Showing,
  tx: Tx,
  party: string,
  refs: readonly string[],
): Promise<void> {
  for (const ref of refs) {
    noteUnusable(services, party, 'unknown_name', ref);
    await openBreak(tx, { tenantId: null, kind: UNKNOWN_ORDER, subject: ref, detail: party });
  }
}

export function noteUnusable(
  { log, observeUnusable }: Showing,
  party: string,
  what: 'word' | 'unknown_name',
  ref: string,
): void {
  observeUnusable(party, what);
  log.warn({ party, what, ref: nameForLog(ref) }, 'the party’s message cannot be used');
}
