import { z } from 'zod';
import type { Keyring } from '../../../kernel/security/keyring';
import type { Kept } from '../../sandbox/orders/book';
import { cardNumber } from '../card-number';
import type { SensitiveCard } from '../word';

/** What the processor adds to an order of a card. The number and the CVV are sealed, as base64. */
export const madeState = z.object({
  numberSealed: z.string(),
  cvvSealed: z.string(),
  last4: z.string(),
  expiryMonth: z.number(),
  expiryYear: z.number(),
});
export type MadeCard = z.output<typeof madeState>;

/** The state of a card until its order is taken. */
export const UNMADE: MadeCard = { numberSealed: '', cvvSealed: '', last4: '', expiryMonth: 0, expiryYear: 0 };

/** A card as the sandbox's processor stores it. */
type ProcessorCard = Kept<{ bin: string }, MadeCard>;

const VALID_YEARS = 4;
const PURPOSE = 'sandbox-cards';

/** Makes a card. Its number and CVV are sealed under the key of the order. */
export function madeCard(
  card: ProcessorCard,
  at: Date,
  { keyring, random }: { keyring: Keyring; random: (limit: number) => number },
): MadeCard & { id: string } {
  const number = cardNumber(card.bin, card.number);
  const cvv = String(random(1000)).padStart(3, '0');
  const sealer = keyring.sealer(PURPOSE);
  const sealed = (text: string) => sealer.seal(Buffer.from(text), sealContext(card)).toString('base64');
  return {
    id: `sandbox-card-${card.number}`,
    numberSealed: sealed(number),
    cvvSealed: sealed(cvv),
    last4: number.slice(-4),
    expiryMonth: at.getUTCMonth() + 1,
    expiryYear: at.getUTCFullYear() + VALID_YEARS,
  };
}

/** Opens the number and the CVV for the cardholder. */
export function secretsOf(card: ProcessorCard, keyring: Keyring): SensitiveCard {
  const sealer = keyring.sealer(PURPOSE);
  const open = (sealed: string) => sealer.open(Buffer.from(sealed, 'base64'), sealContext(card)).toString();
  const { expiryMonth, expiryYear } = card;
  return { cardNumber: open(card.numberSealed), cvv: open(card.cvvSealed), expiryMonth, expiryYear };
}

const sealContext = (card: ProcessorCard) => `sandbox-processor/${card.key}`;
