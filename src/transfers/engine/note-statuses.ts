import type { Tx } from '../../kernel/db/database';
import { type NewStatusChange, noteStatusChanges } from '../../kernel/ledger/status-changes';
import { areTurnsCounted, publishTurns } from '../../kernel/metrics/committed';
import type { AnyKind } from './kind';
import type { Transfer } from './record';

/**
 * Adds status changes to the histories of their accounts, and counts them after the commit. The lock of an account numbers
 * them.
 */
export function noteStatuses(
  tx: Tx,
  { name: kind }: Pick<AnyKind, 'name'>,
  path: readonly { transfer: Transfer; previous: string | null }[],
): void {
  if (path.length > 0 && areTurnsCounted())
    tx.afterCommit(() => publishTurns(path.map(({ transfer: { status } }) => ({ kind, status }))));
  const byAccount = new Map<string, NewStatusChange[]>();
  for (const { transfer, previous } of path) {
    const { id, accountId, referenceId, status, failure } = transfer;
    if (accountId === null) continue;
    const changes = byAccount.get(accountId) ?? [];
    byAccount.set(accountId, changes);
    changes.push({ kind, recordId: id, referenceId, status, previousStatus: previous, failure });
  }
  for (const [accountId, changes] of byAccount) noteStatusChanges(tx, accountId, changes);
}
