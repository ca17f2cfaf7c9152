import type { Tx } from '../../kernel/db/database';
import type { Decimal } from '../../kernel/money/money';
import type { Services } from '../../services';
import type { ApprovalSettings, Thresholds } from './settings';
import { insertOutflow, lockDay, sumOfDay } from './store';

/** In a currency without a threshold every one is above. */
export function isAbove(debit: Decimal, currency: string, thresholds: Thresholds): boolean {
  const threshold = thresholds.find((each) => each.currency === currency);
  return threshold === undefined || debit.gt(threshold.amount);
}

/** Money that is to leave a tenant. */
export interface Leaving {
  /** Of the transfer, which is made in the same transaction. */
  id: string;
  tenantId: string;
  /** The whole debit. */
  debit: Decimal;
  currency: string;
  at: Date;
}

/**
 * Whether an operator must approve it: by itself, or because it takes the tenant's sum of the day above its threshold
 * (decisions part 2, Two people for much money). It is counted by the mid rate of now; where there is none that is fresh, or
 * something of the day could not be counted, a person decides. Called before any account is locked.
 * @param above what a single one may be: by currency, or whatever the currency
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
  await lockDay(tx, tenantId);
  const { sum, whole } = await sumOfDay(tx, { tenantId, day, currency });
  insertOutflow(tx, { transferId, tenantId, day, amount, currency, rate });
  return alone || !whole || amount === null || sum.plus(amount).gt(aboveDaily);
}
