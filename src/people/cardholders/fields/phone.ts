import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import type { CheckContext, CheckResult } from './check';

/**
 * Calling codes that different states share: there a number must be the country's own. Every other shared
 * code is one national numbering plan with its territories (GB with GG, IM and JE; FR's GP, BL and MF …),
 * where numbers move freely.
 */
const SHARED_BY_STATES = new Set(['1', '7']);

/** Many plans do not tell mobile from fixed numbers (+1): such a number may well be a mobile one. */
const MOBILE_TYPES = new Set<string | undefined>(['MOBILE', 'FIXED_LINE_OR_MOBILE']);

const NOT_MOBILE: CheckResult = { problem: 'must be a mobile number for country' };

/** Digits of a phone code without the plus, or undefined when it is not formed like one. */
function codeDigits(phoneCode: unknown): string | undefined {
  return typeof phoneCode === 'string' ? /^\+?(\d{1,4})$/.exec(phoneCode)?.[1] : undefined;
}

/**
 * The area code within a phone code, for numbers of the North American plan are also written +1809 and seven
 * digits.
 *
 * @returns '' when the code is the country's own, undefined when it belongs to another country
 */
function areaCode(digits: string, country: CountryCode): string | undefined {
  const calling: string = getCountryCallingCode(country);
  if (digits === calling) return '';
  return calling === '1' && /^1\d{3}$/.test(digits) ? digits.slice(1) : undefined;
}

function isMobile(number: PhoneNumber, country: CountryCode): boolean {
  if (MOBILE_TYPES.has(number.getType()) && !SHARED_BY_STATES.has(number.countryCallingCode)) return true;
  // The library names the first country whose plan fits; the type is read from the plan of the country asked
  // for.
  number.country = country;
  return MOBILE_TYPES.has(number.getType());
}

/**
 * Judges `phone`: 7 to 15 digits, a mobile number of `country`, with or without the trunk prefix that is
 * dialled inside it (0 in GB), without the country code (`interface.md 2.1`). While `country` is no region it
 * stays at the digits: the country is refused at its own place.
 */
export function checkPhone(phone: string, { meta, reference }: CheckContext): CheckResult {
  if (!/^\d*$/.test(phone)) return { problem: 'must contain digits only, without the country code' };
  if (phone.length < 7 || phone.length > 15) return { problem: 'must have 7 to 15 digits' };
  const { country } = meta;
  if (typeof country !== 'string' || !reference.isRegion(country)) return { value: phone };
  if (!isSupportedCountry(country)) return NOT_MOBILE;

  const national = (areaCode(codeDigits(meta.phoneCode) ?? '', country) ?? '') + phone;
  const number = parsePhoneNumberFromString(national, { defaultCountry: country, extract: false });
  if (!number) return NOT_MOBILE;
  if (national.endsWith(number.nationalNumber)) {
    const prefix = national.slice(0, national.length - number.nationalNumber.length);
    if (prefix.endsWith(number.countryCallingCode)) return { problem: 'must not include the country code' };
  }
  return isMobile(number, country) ? { value: phone } : NOT_MOBILE;
}

/** Judges `phoneCode`, + and 1 to 4 digits of the `country`; a missing + is added (`interface.md 2.1`). */
export function checkPhoneCode(phoneCode: string, { meta, reference }: CheckContext): CheckResult {
  const digits = codeDigits(phoneCode);
  if (digits === undefined) return { problem: 'must be + followed by 1 to 4 digits' };
  const { country } = meta;
  const judged = typeof country === 'string' && reference.isRegion(country) && isSupportedCountry(country);
  if (judged && areaCode(digits, country) === undefined)
    return { problem: 'must be the calling code of country' };
  return { value: `+${digits}` };
}
