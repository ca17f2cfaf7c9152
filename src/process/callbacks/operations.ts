import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database, Sql } from '../../kernel/db/database';
import { gathered } from '../../kernel/db/gathered';
import { inPortions } from '../../kernel/db/portions';
import { openBreak } from '../breaks/operations';
import { countForged, deleteOld, deleteOldCounts } from './store';

export { findCallback } from './store';

/**
 * Writes down that callbacks of a party could not be verified: their count, and a hash of the last; and one break a day, for it may
 * be a stranger, and may be that our secrets differ. Nothing else is kept of them, and however many come at once, one statement is under way. They are refused whether or not it can be written.
 * @returns resolves when it was written
 */
export function createForgedCount(
  { database, log }: { database: Sql; log: Logger },
  party: string,
): (bytes: Buffer) => Promise<void> {
  let shownOn = '';
  const write = gathered(async (hashes: Buffer[]) => {
    log.warn({ party, count: hashes.length }, 'callbacks could not be verified');
    await countForged(database, party, hashes.length, hashes.at(-1) as Buffer);
    const day = new Date().toISOString().slice(0, 10);
    if (day !== shownOn) await openBreak(database, breakOf('callbacks_forged', party, day));
    shownOn = day;
  });
  return (bytes) =>
    write(createHash('sha256').update(bytes).digest()).catch((error: unknown) =>
      log.error({ party, err: error }, 'forged callbacks could not be counted'),
    );
}

/** Shows a person that the party has signed what cannot be read; nothing is kept but its hash. What it meant is in its list. */
export async function showUnreadable(
  { database, log }: { database: Sql; log: Logger },
  party: string,
  bytes: Buffer,
): Promise<void> {
  const hash = `sha256 ${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`;
  log.warn({ party, message: hash }, 'a signed callback cannot be read');
  await openBreak(database, breakOf('callback_unreadable', party, hash));
}

const breakOf = (kind: string, subject: string, detail: string) => ({
  tenantId: null,
  kind,
  subject,
  detail,
});

/** Rows deleted in one transaction: with bodies of 64 KiB some tens of megabytes at most. */
const BATCH = 500;

/**
 * Deletes callbacks after thirty days, in batches of a transaction each. With a row goes the memory of its message's id;
 * nothing is lost by that: the signature of a recorded message is valid for five minutes, and a message that its party
 * sends once more says "look", which changes nothing that has not changed at the party.
 * @returns how many rows
 */
export async function forgetOldCallbacks(
  database: Database,
  { batch = BATCH }: { batch?: number } = {},
): Promise<number> {
  const counts = await deleteOldCounts(database);
  return counts + (await inPortions(database, deleteOld, { limit: batch }));
}
