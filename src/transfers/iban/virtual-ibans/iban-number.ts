import type { IbanRange } from '../../../kernel/config/virtual-ibans';

/** @throws Error when the range is used up */
export function ibanOf({ country, prefix, digits }: IbanRange, number: bigint): string {
  const account = number.toString().padStart(digits, '0');
  if (account.length > digits) throw new Error('the range of IBANs is used up');
  const bban = prefix + account;
  return country + checkDigits(country, bban) + bban;
}

/** ISO 13616: 98 less the remainder by 97 of the rearranged number, with letters as two digits. */
function checkDigits(country: string, bban: string): string {
  const rearranged = `${bban}${country}00`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return String(98n - (BigInt(rearranged) % 97n)).padStart(2, '0');
}

/** Without spaces, in capitals. */
export const normalized = (iban: string): string => iban.replace(/[\s-]/g, '').toUpperCase();
