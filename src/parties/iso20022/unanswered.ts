import type { Tx } from '../../kernel/db/database';
import { closeBreaksOf, openBreak } from '../../process/breaks/operations';
import { timeOnBankDays } from './bank-days';
import { FILE_BREAKS } from './breaks';
import type { BankFilesServices } from './services';
import { lockUnanswered, noteAnswered, noteGivenUp, unansweredFiles } from './store/files';

/**
 * Longest silence of the bank about a file of orders. A SEPA transfer reaches the payee's bank by the end of the next
 * bank day, and a statement shows its debit on the morning after. Silence of two bank days is therefore a fault, also at
 * a bank that sends no `pain.002` for accepted files.
 */
export const ANSWERED_WITHIN_MS = 2 * 86_400_000;

/** Most files that are judged in a turn, the longest waiting first. */
const MAX_FILES = 100;

/**
 * Opens a break for each file that the bank leaves unanswered. When a person resolves the break, the file is not waited for
 * any more, so that the alert can end.
 */
export async function showUnanswered({ database, now }: BankFilesServices): Promise<void> {
  for (const { id, messageId, transactions, placedAt } of await unansweredFiles(database, MAX_FILES)) {
    if (placedAt === null || messageId === null) continue;
    if (timeOnBankDays(placedAt, now()) < ANSWERED_WITHIN_MS) continue;
    await database.transaction(async (tx) => {
      // An answer since the reading has closed the break already, so nothing would close a later one.
      if (!(await lockUnanswered(tx, id))) return;
      const { resolvedAt } = await openBreak(tx, {
        tenantId: null,
        kind: FILE_BREAKS.unanswered,
        subject: messageId,
        detail: `orders: ${transactions}, placed ${placedAt.toISOString()}`,
      });
      if (resolvedAt) await noteGivenUp(tx, id);
    });
  }
}

/**
 * Notes that the bank has told of a file of ours, by a report or by money of one of its orders. Closes the break. Called
 * after the order is locked, so that two reports of a file wait without a deadlock.
 * @param fileId null: no file of ours that we know
 */
export async function answered(
  { services, tx }: { services: Pick<BankFilesServices, 'now'>; tx: Tx },
  fileId: number | null,
): Promise<void> {
  const file = fileId === null ? undefined : await noteAnswered(tx, fileId);
  if (!file?.messageId) return;
  await closeBreaksOf(tx, {
    subject: file.messageId,
    kinds: [FILE_BREAKS.unanswered],
    at: services.now(),
  });
}
