import { anyOf, table } from '../../../kernel/db/build';
import type { Tx } from '../../../kernel/db/database';
import { lockLedgerAccounts } from '../../../kernel/ledger/accounts';
import type { AnyKind } from '../kind';

export interface NotOrdered {
  tenantId: string;
  /** Those that have not ended. */
  statuses: readonly string[];
  /** A field of the terms, and what it is. */
  term: string;
  value: string;
}

/**
 * Locks those of a tenant that the party has not been told of, and then their accounts: a step of a transfer locks its row
 * before its account, so whoever decides of several holds every row before the first account.
 * @returns their ids, in the order of the locks
 */
export async function lockNotOrdered(
  tx: Tx,
  { name: kind }: Pick<AnyKind, 'name'>,
  { tenantId, statuses, term, value }: NotOrdered,
): Promise<string[]> {
  const open = table('transfers')
    .select('id', 'accountId')
    .where({ kind, tenantId })
    .whereNull('orderedAt')
    .where(anyOf('status', statuses))
    .whereRaw('terms->>? = ?', [term, value]);
  const rows = await tx.run<{ id: string; accountId: string | null }>(open.orderBy('id').forNoKeyUpdate());
  const accounts = new Set(rows.flatMap(({ accountId }) => accountId ?? []));
  if (accounts.size > 0) await lockLedgerAccounts(tx, [...accounts]);
  return rows.map(({ id }) => id);
}
