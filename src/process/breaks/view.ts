import { formatAmount } from '../../kernel/money/money';
import type { Break } from './record';

/** A break as the command line prints it. */
export function breakView({ amount, currency, ...rest }: Break): Record<string, unknown> {
  return { ...rest, amount: amount && currency ? formatAmount(amount, currency) : null, currency };
}
