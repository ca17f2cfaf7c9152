import type { Keyring } from '../../../kernel/security/keyring';
import { cardNumber } from '../card-number';
import type { SensitiveCard } from '../word';
import type { MadeCard, ProcessorCard } from './store';

const VALID_YEARS = 4;

/** Makes a card. Its number and CVV are sealed under the key of the order. */
export function madeCard(
  card: ProcessorCard,
  at: Date,
  { keyring, random }: { keyring: Keyring; random: (limit: number) => number },
): MadeCard {
  const number = cardNumber(card.bin, card.sequence);
  const cvv = String(random(1000)).padStart(3, '0');
  return {
    acceptedAt: at,
    reference: `sandbox-card-${card.sequence}`,
    numberSealed: keyring.seal(Buffer.from(number), sealContext(card)),
    cvvSealed: keyring.seal(Buffer.from(cvv), sealContext(card)),
    last4: number.slice(-4),
    expiryMonth: at.getUTCMonth() + 1,
    expiryYear: at.getUTCFullYear() + VALID_YEARS,
  };
}

/** Opens the number and the CVV for the cardholder. */
export function secretsOf(card: ProcessorCard, keyring: Keyring): SensitiveCard {
  const open = (sealed: Buffer | null) => keyring.open(sealed as Buffer, sealContext(card)).toString();
  return {
    cardNumber: open(card.numberSealed),
    cvv: open(card.cvvSealed),
    expiryMonth: card.expiryMonth as number,
    expiryYear: card.expiryYear as number,
  };
}

const sealContext = (card: ProcessorCard) => `sandbox-processor/${card.key}`;
