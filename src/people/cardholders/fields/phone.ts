import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import type { CheckContext, CheckResult } from './check';

/**
 * Calling codes that several states share; a number must belong to the given country. Every other shared code is one
 * national plan with its territories (GB with GG, IM and JE; FR with GP, BL and MF), where numbers move freely.
 */
const SHARED_BY_STATES = new Set(['1', '7']);

/** Many plans do not separate mobile from fixed numbers (+1), so such a number may be a mobile one. */
const MOBILE_TYPES = new Set<string | undefined>(['MOBILE', 'FIXED_LINE_OR_MOBILE']);

const NOT_MOBILE: CheckResult = { problem: 'must be a mobile number for country' };

/** The digits of a phone code without the plus; undefined when it is malformed. */
function codeDigits(phoneCode: unknown): string | undefined {
  return typeof phoneCode === 'string' ? /^\+?(\d{1,4})$/.exec(phoneCode)?.[1] : undefined;
}

/**
 * The area code within a phone code, because North American numbers are also written as +1809 and seven digits.
 * @returns '' for the country's own calling code, undefined for another country's code
 */
function areaCode(digits: string, country: CountryCode): string | undefined {
  const calling: string = getCountryCallingCode(country);
  if (digits === calling) return '';
  return calling === '1' && /^1\d{3}$/.test(digits) ? digits.slice(1) : undefined;
}

function isMobile(number: PhoneNumber, country: CountryCode): boolean {
  if (MOBILE_TYPES.has(number.getType()) && !SHARED_BY_STATES.has(number.countryCallingCode)) return true;
  // The library names the first country whose plan fits. The type must come from the plan of the given country.
  number.country = country;
  return MOBILE_TYPES.has(number.getType());
}

/**
 * Checks `phone`: a mobile number of `country` with 7 to 15 digits, without the country code (`interface.md 2.1`). The
 * trunk prefix (0 in GB) may be present. For an unknown `country` only the digits are checked, because `country` is
 * refused by its own check.
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

/** Checks `phoneCode`: + and 1 to 4 digits, the calling code of `country`. Adds a missing + (`interface.md 2.1`). */
export function checkPhoneCode(phoneCode: string, { meta, reference }: CheckContext): CheckResult {
  const digits = codeDigits(phoneCode);
  if (digits === undefined) return { problem: 'must be + followed by 1 to 4 digits' };
  const { country } = meta;
  const judged = typeof country === 'string' && reference.isRegion(country) && isSupportedCountry(country);
  if (judged && areaCode(digits, country) === undefined)
    return { problem: 'must be the calling code of country' };
  return { value: `+${digits}` };
}
