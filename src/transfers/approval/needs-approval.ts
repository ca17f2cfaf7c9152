import { inOrder, type Tx } from '../../kernel/db/database';
import type { Decimal } from '../../kernel/money/money';
import type { Services } from '../../services';
import type { ApprovalSettings, Thresholds } from './settings';
import { insertOutflow, lockDay, sumOfDay } from './store';

/** Whether a debit exceeds its threshold. In a currency without a threshold, every debit does. */
export function isAbove(debit: Decimal, currency: string, thresholds: Thresholds): boolean {
  const threshold = thresholds.find((each) => each.currency === currency);
  return threshold === undefined || debit.gt(threshold.amount);
}

/** Money that is to leave a tenant. */
export interface Leaving {
  /** Id of the transfer, which is made in the same transaction. */
  id: string;
  tenantId: string;
  /** Amount and fee. */
  debit: Decimal;
  currency: string;
  at: Date;
}

/**
 * Decides whether an operator must approve a transfer: because of its own debit, or because the tenant's sum of the
 * day exceeds its threshold (decisions part 2, Two people for much money).
 *
 * Sums use the present mid rate. Without a fresh rate, or with an uncounted transfer on that day, an operator must
 * approve. Call this before any account is locked.
 * @param above threshold of a single transfer: by currency, or one for all currencies
 */
export async function needsApproval(
  { parties }: Pick<Services, 'parties'>,
  tx: Tx,
  { id: transferId, tenantId, debit, currency: from, at }: Leaving,
  { above, daily: { aboveDaily, currency } }: { above: Thresholds | string; daily: ApprovalSettings },
): Promise<boolean> {
  const alone = typeof above === 'string' ? debit.gt(above) : isAbove(debit, from, above);
  if (aboveDaily === null) return alone;
  const rate = parties.rates.worth(from, currency) ?? null;
  const amount = rate && debit.times(rate);
  const day = at.toISOString().slice(0, 10);
  // Sent together, because the day's other transfers wait.
  const [, { sum, whole }] = await inOrder([
    lockDay(tx, tenantId),
    sumOfDay(tx, { tenantId, day, currency }),
  ]);
  insertOutflow(tx, { transferId, tenantId, day, amount, currency, rate });
  return alone || !whole || amount === null || sum.plus(amount).gt(aboveDaily);
}
