import { z } from 'zod';

const decimal = (given: string) =>
  z
    .string()
    .regex(/^\d{1,15}(\.\d{1,2})?$/, 'must be a decimal string such as "10.00"')
    .default(given);

/** The operator's settings for a company's virtual IBAN. Amounts are in EUR. */
export const bankingSettings = z.object({
  monthlyFee: decimal('10.00'),
  payout: z
    .object({
      /** Bounds of the amount, both included. */
      min: decimal('1.00'),
      max: decimal('100000.00'),
      feeFixed: decimal('0.50'),
      /** Percentage of the amount: "0.1" is 0.1 %. */
      feePercent: decimal('0'),
      /** An operator approves each payout whose whole debit is above this. */
      approvalAbove: decimal('10000.00'),
    })
    .prefault({}),
});

export const bankingSettingsSection = { name: 'banking', schema: bankingSettings };
