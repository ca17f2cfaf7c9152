import { z } from 'zod';
import { decimalText } from '../../../kernel/wire/schemas';

/** What the operator can set for a tenant's exchange orders. */
export const exchangeOrderSettings = z.object({
  /** Of the amount: "0.5" is half a percent. It is taken out of the amount, in proportion to what is sold. */
  orderFeePercent: decimalText().default('0'),
});

export const exchangeOrderSettingsSection = { name: 'exchange', schema: exchangeOrderSettings };
