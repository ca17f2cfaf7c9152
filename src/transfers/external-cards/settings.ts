import { z } from 'zod';
import { decimalText } from '../../kernel/wire/schemas';
import { thresholds } from '../approval/settings';

const decimal = decimalText();

const terms = (feeFixed: string, feePercent: string) =>
  z.object({
    /** Bounds of the amount in the account's currency, both included. */
    min: decimal.default('1.00'),
    max: decimal.default('10000.00'),
    feeFixed: decimal.default(feeFixed),
    /** Percentage of the amount: "1.5" is 1.5 %. */
    feePercent: decimal.default(feePercent),
  });

/** The operator's settings for a tenant's top-ups from and withdrawals to external payment cards. */
export const externalCardSettings = z.object({
  topup: terms('0.30', '1.5').prefault({}),
  withdrawal: terms('0.50', '1')
    .extend({
      /**
       * Thresholds by currency. An operator approves each withdrawal whose whole debit is above, and every one in an
       * unlisted currency.
       */
      approvalAbove: thresholds(),
    })
    .prefault({}),
  /** Time for the payer to confirm, where the card's bank asks for it. */
  actionSeconds: z.number().int().min(60).max(86_400).default(1_800),
});

export const externalCardSettingsSection = { name: 'externalCards', schema: externalCardSettings };
