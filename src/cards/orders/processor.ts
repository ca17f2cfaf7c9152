import type { Card } from '../cards/record';

/** Fields that all orders of the card processor share. */
export const PROCESSOR = { party: 'cardProcessor', callbacks: '/callbacks/card-processor' } as const;

/** Break of a card whose processor contradicts what was recorded. Its subject is the card. */
export const CONTRADICTED = 'card_order_contradicted';

export const describeContradiction = (here: string, there: string) =>
  `${here}, and the processor says ${there}`;

/** The card's reference at the processor. @throws Error when the card was never issued */
export function referenceOf({ processorReference }: Card): string {
  if (processorReference === null) throw new Error('the card was never issued');
  return processorReference;
}
