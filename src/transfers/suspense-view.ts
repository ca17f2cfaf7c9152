import { formatAmount } from '../kernel/money/money';
import type { SuspenseItem } from './engine/read';

/** What stands in suspense, as operators are shown it. */
export const suspenseView = ({ amount, currency, since, ...item }: SuspenseItem) => ({
  ...item,
  amount: formatAmount(amount, currency),
  currency,
  since: since.toISOString(),
});
