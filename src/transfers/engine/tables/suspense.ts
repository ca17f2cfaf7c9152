import { filtered, rowsOf, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { decimal, recordTable } from '../../../kernel/db/record-table';
import { countWaiting, type WaitingCount, type WaitingFilter, waitingPage } from '../../../kernel/db/waiting';
import type { Decimal } from '../../../kernel/money/money';

/** Money in suspense, by transfer and currency. */
export interface SuspenseItem {
  transferId: string;
  kind: string;
  tenantId: string | null;
  accountId: string | null;
  status: string;
  currency: string;
  /** Below zero: the money is ours to claim. */
  amount: Decimal;
  /** When the transfer first had money in suspense. */
  since: Date;
}

const suspense = recordTable<SuspenseItem>('suspense_items', { amount: decimal });

/** Money in suspense. One row for each transfer and currency. */
const suspended = (transferId?: string) =>
  rowsOf(
    table('suspense_items as s')
      .join('transfers as t', 't.id', 's.transfer_id')
      .select('s.transfer_id', 't.kind', 't.tenant_id', 't.account_id', 't.status', 's.currency')
      .select('s.amount', 's.since')
      .modify(filtered, { 's.transfer_id': transferId }),
  );

const IN_SUSPENSE = {
  id: `transfer_id || ':' || currency`,
  since: 'since',
  tenantId: 'tenant_id',
  kind: 'kind',
  currency: 'currency',
};

/** Lists money in suspense, oldest first. @throws Problem 400 */
export const suspenseItems = async (
  sql: Sql,
  { transferId, ...filter }: WaitingFilter & { transferId?: string },
): Promise<SuspenseItem[]> =>
  suspense.all(sql, suspended(transferId).modify(waitingPage, IN_SUSPENSE, filter));

export const countSuspense = (sql: Sql): Promise<WaitingCount> => countWaiting(sql, suspense(), IN_SUSPENSE);
