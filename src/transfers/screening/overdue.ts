import { closeBreaksOf, listBreaks, openBreakAgain } from '../../process/breaks/operations';
import type { Services } from '../../services';
import { SCREENING_WAITS } from './record';
import { pendingScreenings } from './store';

/** Milliseconds after which people must decide, because metrics alone reach no desk. */
const LONGEST_WAIT_MS = 24 * 60 * 60_000;

/** The number of breaks that are kept open at once; the longest waiting screenings come first. */
const SHOWN = 200;

/**
 * Opens a break for each screening that has waited for longer than a day, and closes the breaks of ended ones. A break
 * that an operator has resolved stays so.
 */
export async function showWaitingScreenings({
  database,
  now,
}: Pick<Services, 'database' | 'now'>): Promise<void> {
  const at = now();
  const before = new Date(at.getTime() - LONGEST_WAIT_MS);
  const found = await pendingScreenings(database, { before, limit: SHOWN });
  const waiting = new Set(found.map(({ subject }) => subject));
  const open = await listBreaks(database, { kind: SCREENING_WAITS, limit: SHOWN });
  for (const { subject } of open)
    if (!waiting.has(subject)) await closeBreaksOf(database, { subject, kinds: [SCREENING_WAITS], at });
  for (const { subject, key: detail, tenantId, amount, asset: currency, askedAt } of found) {
    const given = { tenantId, kind: SCREENING_WAITS, subject, detail, amount, currency };
    await openBreakAgain(database, given, askedAt);
  }
}
