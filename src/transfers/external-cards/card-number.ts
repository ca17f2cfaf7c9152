/**
 * Whether the text is a card number, whatever stands between its digits: what we must never be given. Letters among them
 * make it a token.
 */
export function isCardNumber(text: string): boolean {
  const bare = text.replace(/[^\p{L}\p{N}]/gu, '');
  return /^\d{13,19}$/.test(bare) && passesLuhn(bare);
}

/** ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
