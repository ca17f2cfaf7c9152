import type { Decimal } from '../../../kernel/money/money';
import type { Card } from '../../cards/record';

/** The event of money that comes onto a card, in its currency. */
export const topupEvent = (card: Card, amount: Decimal, referenceId: string) => ({
  type: 'topup' as const,
  amount,
  currency: card.currency,
  billingAmount: amount,
  referenceId,
});
