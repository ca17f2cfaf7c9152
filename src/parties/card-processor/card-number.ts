/** All schemes of the sandbox have sixteen digits. */
export const CARD_NUMBER_DIGITS = 16;

/** The digit that makes a number pass Luhn (ISO/IEC 7812-1). @param digits the number without it */
export function luhnDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}

export function passesLuhn(number: string): boolean {
  return /^\d{2,}$/.test(number) && luhnDigit(number.slice(0, -1)) === number.at(-1);
}

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
