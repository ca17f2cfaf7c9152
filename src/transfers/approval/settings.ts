import { z } from 'zod';
import { currency, decimalText, typedDecimal } from '../../kernel/wire/schemas';

const APPROVAL = ['USD', 'EUR', 'GBP'].map((code) => ({ currency: code, amount: '10000.00' }));

/**
 * Thresholds by currency. An operator approves each debit above its threshold, and every debit in an unlisted
 * currency.
 */
export const thresholds = () =>
  z.array(z.strictObject({ currency: currency(), amount: decimalText() })).default(APPROVAL);

export type Thresholds = z.output<ReturnType<typeof thresholds>>;

const MAX_HOURS = 30 * 24;

/**
 * Daily threshold of a tenant. Counts its payouts, payouts from virtual IBANs, withdrawals to cards and withdrawals
 * from the exchange.
 *
 * A transfer that takes the sum of a UTC day above `aboveDaily`, in `currency`, waits for an operator. Null: no sums
 * are kept. Thresholds of single transfers stand with each kind: `payouts.approvalAbove`,
 * `banking.payout.approvalAbove`, `externalCards.withdrawal.approvalAbove`, `exchange.withdrawal.approvalAbove`.
 */
export const approvalSettings = z.object({
  aboveDaily: typedDecimal().nullable().default(null),
  currency: currency().default('USD'),
  /** Hours for which a destination of payouts rests when it is first used. 0: none rests. An operator's approval ends it. */
  newDestinationHours: z.number().int().min(0).max(MAX_HOURS).default(0),
});

export type ApprovalSettings = z.infer<typeof approvalSettings>;

export const approvalSettingsSection = { name: 'approvals', schema: approvalSettings };
