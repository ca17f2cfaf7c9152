import { luhnDigit } from '../../kernel/wire/card-number';

/** All schemes of the sandbox have sixteen digits. */
export const CARD_NUMBER_DIGITS = 16;

// Coprime to ten: times a sequence number, modulo a power of ten, it meets every value once before it repeats.
const STRIDE = 7_368_787_003n;
const OFFSET = 4_051_997n;

/**
 * The card number of a sequence number under a BIN: unlike its neighbours to the eye, never the same twice until all
 * numbers of the BIN are used, and valid under Luhn.
 */
export function cardNumber(bin: string, sequence: bigint): string {
  const free = CARD_NUMBER_DIGITS - 1 - bin.length;
  const account = (sequence * STRIDE + OFFSET) % 10n ** BigInt(free);
  const digits = bin + account.toString().padStart(free, '0');
  return digits + luhnDigit(digits);
}
