import type { Card } from '../cards/record';

/** What every order of the card processor has in common. */
export const PROCESSOR = { party: 'cardProcessor', callbacks: '/callbacks/card-processor' } as const;

/** A contradiction of the processor's stands at the card. */
export const CONTRADICTED = 'card_order_contradicted';

export const says = (here: string, there: string) => `${here}, and the processor says ${there}`;

/** The card's name at the processor. @throws Error where the card was never issued */
export function referenceOf({ processorReference }: Card): string {
  if (processorReference === null) throw new Error('the card was never issued');
  return processorReference;
}
