import { luhnDigit } from '../../kernel/wire/card-number';

/** All card schemes of the sandbox use sixteen digits. */
export const CARD_NUMBER_DIGITS = 16;

// Coprime to ten, so that its multiples modulo a power of ten meet every value once before they repeat.
const STRIDE = 7_368_787_003n;
const OFFSET = 4_051_997n;

/**
 * The card number of a sequence number under a BIN. Numbers are unique until the BIN is used up, look unrelated to
 * their neighbours, and pass the Luhn check.
 */
export function cardNumber(bin: string, sequence: bigint): string {
  const free = CARD_NUMBER_DIGITS - 1 - bin.length;
  const account = (sequence * STRIDE + OFFSET) % 10n ** BigInt(free);
  const digits = bin + account.toString().padStart(free, '0');
  return digits + luhnDigit(digits);
}
