import { z } from 'zod';
import { currency, decimalText, typedDecimal } from '../../kernel/wire/schemas';

const APPROVAL = ['USD', 'EUR', 'GBP'].map((code) => ({ currency: code, amount: '10000.00' }));

/** By currency: above it a person decides. In a currency that is not listed a person decides each. */
export const thresholds = () =>
  z.array(z.strictObject({ currency: currency(), amount: decimalText() })).default(APPROVAL);

export type Thresholds = z.output<ReturnType<typeof thresholds>>;

/**
 * What a tenant may send out in a day, over all of its payouts, payouts from its virtual IBAN, withdrawals to cards and from the exchange: what
 * takes the sum of a UTC day above `aboveDaily`, in `currency`, waits for an operator. Without one nothing is summed. What a
 * single one may be is set with each kind: `payouts.approvalAbove`, `banking.payout.approvalAbove`,
 * `externalCards.withdrawal.approvalAbove`, `exchange.withdrawal.approvalAbove`.
 */
export const approvalSettings = z.object({
  aboveDaily: typedDecimal().nullable().default(null),
  currency: currency().default('USD'),
});

export type ApprovalSettings = z.infer<typeof approvalSettings>;

export const approvalSettingsSection = { name: 'approvals', schema: approvalSettings };
