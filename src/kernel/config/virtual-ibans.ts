import { isBic } from '../iban';

/** The range of virtual IBANs that a bank has given us: `iban = country + check digits + prefix + number`. */
export interface IbanRange {
  country: string;
  /** The bank code and the first digits of the account, which all IBANs of the range share. */
  prefix: string;
  /** Length of the number in digits. */
  digits: number;
  bic: string;
}

/** The range of the sandbox: the Lithuanian format, with a bank code that no bank has. */
export const SANDBOX_RANGE: IbanRange = { country: 'LT', prefix: '99999', digits: 11, bic: 'SBXBLT21XXX' };

/** Length of an IBAN, and the form of its bank code. Only countries whose account numbers have no check digits. */
const COUNTRIES: Readonly<Record<string, { length: number; bankCode: RegExp }>> = {
  AT: { length: 20, bankCode: /^\d{5}/ },
  BG: { length: 22, bankCode: /^[A-Z]{4}\d{6}/ },
  CH: { length: 21, bankCode: /^\d{5}/ },
  CY: { length: 28, bankCode: /^\d{8}/ },
  DE: { length: 22, bankCode: /^\d{8}/ },
  GR: { length: 27, bankCode: /^\d{7}/ },
  IE: { length: 22, bankCode: /^[A-Z0-9]{4}\d{6}/ },
  LI: { length: 21, bankCode: /^\d{5}/ },
  LT: { length: 20, bankCode: /^\d{5}/ },
  LU: { length: 20, bankCode: /^\d{3}/ },
  LV: { length: 21, bankCode: /^[A-Z]{4}/ },
  MT: { length: 31, bankCode: /^[A-Z]{4}\d{5}/ },
  RO: { length: 24, bankCode: /^[A-Z]{4}/ },
};

const PREFIX = 'VIRTUAL_IBAN_PREFIX';
const BIC = 'VIRTUAL_IBAN_BIC';
/** A shorter number would soon be used up. */
const LEAST_DIGITS = 4;
/** Country, and check digits, which are computed for each IBAN. */
const HEAD_LENGTH = 4;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the range of virtual IBANs, such as `DE370400440532` and `COBADEFFXXX`.
 * @returns the range, undefined when there is none; and a line for each wrong variable
 */
export function readVirtualIbans(given: Environment): { ibanRange: IbanRange | undefined; wrong: string[] } {
  const { [PREFIX]: text, [BIC]: bic } = given;
  if (text === undefined && bic === undefined) return { ibanRange: undefined, wrong: [] };
  const country = (text ?? '').slice(0, 2);
  const prefix = (text ?? '').slice(2);
  const form = COUNTRIES[country];
  const digits = form ? form.length - HEAD_LENGTH - prefix.length : 0;
  const isRange =
    form?.bankCode.test(prefix) === true && /^[A-Z0-9]+$/.test(prefix) && digits >= LEAST_DIGITS;
  const wrong = [
    ...(isRange
      ? []
      : [
          `${PREFIX}: must be a country (${Object.keys(COUNTRIES).join(', ')}), the bank code, and digits of the account, with ${LEAST_DIGITS} digits left`,
        ]),
    ...(bic !== undefined && isBic(bic) ? [] : [`${BIC}: must be the BIC of the bank`]),
  ];
  return { ibanRange: wrong.length > 0 ? undefined : { country, prefix, digits, bic: bic ?? '' }, wrong };
}
