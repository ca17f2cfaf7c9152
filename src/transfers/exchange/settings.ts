import { z } from 'zod';
import { typedDecimal } from '../../kernel/wire/schemas';
import { thresholds } from '../approval/settings';

const APPROVAL = ['USD', 'EUR', 'GBP'].map((code) => ({ currency: code, amount: '10000.00' }));

/** What the operator can set for a tenant's orders and withdrawals: beside what is set for exchanges between its accounts. */
export const exchangePartySettings = z.object({
  order: z
    .object({
      /** Of the amount: "0.5" is half a percent. It is taken out of the amount, in proportion to what is sold. */
      feePercent: typedDecimal().default('0'),
    })
    .prefault({}),
  withdrawal: z
    .object({
      /** In the account's currency. */
      feeFixed: typedDecimal().default('0'),
      /** Of the amount: "0.5" is 0.5 %. */
      feePercent: typedDecimal().default('0'),
      /**
       * A withdrawal whose whole debit is above this waits for an operator; in a currency that is not listed every withdrawal
       * does. What takes the sum of a day above `approvals.aboveDaily` waits, too.
       */
      approvalAbove: thresholds().default(APPROVAL),
    })
    .prefault({}),
});

export const exchangePartySection = { name: 'exchange', schema: exchangePartySettings };
