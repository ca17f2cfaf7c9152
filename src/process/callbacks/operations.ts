import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { databaseTime } from '../../kernel/db/clock';
import type { Database, Sql } from '../../kernel/db/database';
import { gathered } from '../../kernel/db/gathered';
import { inPortions } from '../../kernel/db/portions';
import { openBreak } from '../breaks/operations';
import { countForged, deleteOld, deleteOldCounts } from './store';

export { findCallback } from './store';

/**
 * Counts callbacks that could not be verified, with a hash of the last, and opens one break a day. A break is needed,
 * because the sender may be the party with a different secret. Concurrent calls share one statement. The callbacks are
 * refused even if the count fails.
 * @returns a function that resolves when the count is stored
 */
export function createForgedCount(
  { database, log }: { database: Sql; log: Logger },
  party: string,
): (bytes: Buffer) => Promise<void> {
  let shownOn = '';
  const write = gathered(async (hashes: Buffer[]) => {
    log.warn({ party, count: hashes.length }, 'callbacks could not be verified');
    await countForged(database, party, hashes.length, hashes.at(-1) as Buffer);
    const day = (await databaseTime(database)).toISOString().slice(0, 10);
    if (day !== shownOn) await openBreak(database, breakOf('callbacks_forged', party, day));
    shownOn = day;
  });
  return (bytes) =>
    write(createHash('sha256').update(bytes).digest()).catch((error: unknown) =>
      log.error({ party, err: error }, 'forged callbacks could not be counted'),
    );
}

/** Shows a person a signed but unreadable callback by its hash. The party's list still names the change. */
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

/** Rows deleted in one transaction. Bodies of 64 KiB make some tens of megabytes at most. */
const BATCH = 500;

/**
 * Deletes callbacks after thirty days, in batches of one transaction each. Deleting a row forgets its message's id,
 * which is safe. A recorded signature expires after five minutes, and a message that the party repeats only makes us
 * look at the record.
 * @returns the number of rows
 */
export async function forgetOldCallbacks(
  database: Database,
  { batch = BATCH }: { batch?: number } = {},
): Promise<number> {
  const counts = await deleteOldCounts(database);
  return counts + (await inPortions(database, deleteOld, { limit: batch }));
}
