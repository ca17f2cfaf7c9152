import { formatAmount } from '../../kernel/money/money';
import type { Approval } from './record';

/** As operators see it. */
export const approvalView = ({ amount, currency, requestedAt, decidedAt, ...rest }: Approval) => ({
  ...rest,
  amount: formatAmount(amount, currency),
  currency,
  requestedAt: requestedAt.toISOString(),
  decidedAt: decidedAt?.toISOString() ?? null,
});
