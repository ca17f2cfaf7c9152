/** Check digit of a card number by Luhn (ISO/IEC 7812-1, annex B). @param digits the number without the check digit */
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

const LONGEST = 19;

/**
 * Whether the text contains a card number, with anything before, after and between its digits except letters. Detects
 * card numbers that a caller sends in place of a token.
 */
export const holdsCardNumber = (text: string): boolean =>
  text.split(/\p{L}+/u).some((run) => {
    const groups = run.match(/\d+/g) ?? [];
    return groups.some((_, from) => beginsWithCardNumber(groups.slice(from, from + LONGEST)));
  });

function beginsWithCardNumber(groups: readonly string[]): boolean {
  let digits = '';
  return groups.some((group) => {
    digits += group;
    return digits.length >= 13 && digits.length <= LONGEST && passesLuhn(digits);
  });
}
