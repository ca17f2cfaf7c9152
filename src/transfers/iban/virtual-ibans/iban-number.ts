/** The range of account numbers that the bank has given us: `iban = country + check digits + bank code + number`. */
export interface IbanRange {
  country: string;
  bankCode: string;
  /** Length of the number in digits. */
  digits: number;
  bic: string;
}

/** The range of the sandbox: the Lithuanian format, with a bank code that no bank has. */
export const SANDBOX_RANGE: IbanRange = { country: 'LT', bankCode: '99999', digits: 11, bic: 'SBXBLT21XXX' };

/** @throws Error when the range is used up */
export function ibanOf({ country, bankCode, digits }: IbanRange, number: bigint): string {
  const account = number.toString().padStart(digits, '0');
  if (account.length > digits) throw new Error('the range of IBANs is used up');
  const bban = bankCode + account;
  return country + checkDigits(country, bban) + bban;
}

/** ISO 13616: 98 less the remainder by 97 of the rearranged number, with letters as two digits. */
function checkDigits(country: string, bban: string): string {
  const rearranged = `${bban}${country}00`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return String(98n - (BigInt(rearranged) % 97n)).padStart(2, '0');
}

/** Without spaces, in capitals. */
export const normalized = (iban: string): string => iban.replace(/[\s-]/g, '').toUpperCase();
