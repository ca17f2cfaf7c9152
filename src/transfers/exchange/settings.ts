import { z } from 'zod';
import { decimalText } from '../../kernel/wire/schemas';
import { thresholds } from '../approval/settings';

const APPROVAL = ['USD', 'EUR', 'GBP'].map((code) => ({ currency: code, amount: '10000.00' }));

/** What the operator can set for a tenant's dealings with the exchange. */
export const exchangeSettings = z.object({
  withdrawal: z
    .object({
      /** In the account's currency. */
      feeFixed: decimalText().default('0'),
      /** Of the amount: "0.5" is 0.5 %. */
      feePercent: decimalText().default('0'),
      /**
       * A withdrawal whose whole debit is above this waits for an operator; in a currency that is not listed every withdrawal
       * does. What takes the sum of a day above `approvals.aboveDaily` waits, too.
       */
      approvalAbove: thresholds().default(APPROVAL),
    })
    .prefault({}),
});

export const exchangeSettingsSection = { name: 'exchange', schema: exchangeSettings };
