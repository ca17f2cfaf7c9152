import { formatAmount } from '../kernel/money/money';
import type { SuspenseItem } from './engine/read';

/** Output of an item in suspense, for operators. */
export const suspenseView = ({ amount, currency, since, ...item }: SuspenseItem) => ({
  ...item,
  amount: formatAmount(amount, currency),
  currency,
  since: since.toISOString(),
});
