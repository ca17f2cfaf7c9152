import type * as IbanTools from 'ibantools' with { 'resolution-mode': 'import' };

// The types of the library describe an ES module, but this build is CommonJS.
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { isValidBIC, isValidIBAN } = require('ibantools') as typeof IbanTools;

/** Whether a text without spaces is an IBAN: country, length and check digits. */
export const isIban = (text: string): boolean => isValidIBAN(text);

export const isBic = (text: string): boolean => isValidBIC(text);
