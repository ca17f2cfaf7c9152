import type { Decimal } from '../../../../kernel/money/money';
import type { Card } from '../../../cards/record';

/** The event for money that comes onto a card, in the card's currency. */
export const topupEvent = (card: Card, amount: Decimal, referenceId: string) => ({
  type: 'topup' as const,
  amount,
  currency: card.currency,
  billingAmount: amount,
  referenceId,
});
