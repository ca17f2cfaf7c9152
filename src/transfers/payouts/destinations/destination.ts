import type * as IbanTools from 'ibantools' with { 'resolution-mode': 'import' };
import { z } from 'zod';
import { invalid } from '../../../kernel/errors';
import { holdsCardNumber } from '../../../kernel/wire/card-number';
import { text } from '../../../kernel/wire/schemas';
import { checkedAddress, isZeroAddress } from '../../../parties/chain/addresses';
import type { ChainKind } from '../../../parties/chain/port';
import type { Destination, PayoutMethod } from '../../../parties/payouts/port';

// The types of the library describe an ES module, but this build is CommonJS.
// eslint-disable-next-line @typescript-eslint/no-require-imports
const ibanTools = require('ibantools') as typeof IbanTools;
const { isSEPACountry, ValidationErrorsIBAN, validateBIC, validateIBAN } = ibanTools;

export type DestinationField = keyof Destination;

/** A destination in a request. {@link checkDestination} validates the fields of each method. */
export const destinationSchema = z.strictObject({
  name: text(140).optional(),
  iban: text(60).optional(),
  bic: text(20).optional(),
  country: text(10).optional(),
  accountNumber: text(60).optional(),
  cardToken: text(200).optional(),
  chain: text(50).optional(),
  asset: text(20).optional(),
  address: text(200).optional(),
});

/** The fields of each method. A missing `required` field is refused. */
export const DESTINATION_FIELDS: Record<
  PayoutMethod,
  readonly { name: DestinationField; required: boolean }[]
> = {
  sepa: fields(['name', 'iban'], ['bic', 'country']),
  swift: fields(['name'], ['iban', 'accountNumber', 'bic', 'country']),
  card: fields(['cardToken'], []),
  crypto: fields(['chain', 'asset', 'address'], []),
};

function fields(required: DestinationField[], optional: DestinationField[]) {
  return [
    ...required.map((name) => ({ name, required: true })),
    ...optional.map((name) => ({ name, required: false })),
  ];
}

/**
 * Checks a destination by its method, and returns it as it is stored: IBAN and BIC without spaces and in capitals.
 * @param receivedCurrency the currency of the payout; on a chain, the asset
 * @throws Problem 400 naming the field (`iban`, `bic`, `cardToken` …) and never quoting it
 */
export function checkDestination(
  method: PayoutMethod,
  given: Destination,
  receivedCurrency: string,
): Destination {
  const known = DESTINATION_FIELDS[method];
  for (const field of Object.keys(given) as DestinationField[]) {
    if (given[field] !== undefined && !known.some(({ name }) => name === field))
      throw invalid(`${field} is not a field of a ${method} destination.`, field);
  }
  for (const { name, required } of known) {
    if (required && !given[name]?.trim()) throw invalid(`${name} is required.`, name);
  }
  return CHECKS[method](given, receivedCurrency);
}

const CHECKS: Record<PayoutMethod, (given: Destination, receivedCurrency: string) => Destination> = {
  sepa: (given) => {
    const iban = checkedIban(given.iban ?? '');
    if (!isSepa(iban.slice(0, 2))) throw invalid('iban must be of a country in SEPA.', 'iban');
    return present({ name: checkedName(given), iban, ...bankOf(given) });
  },
  swift: (given) => {
    const iban = given.iban === undefined ? undefined : checkedIban(given.iban);
    const accountNumber = checkedAccountNumber(given);
    if ((iban === undefined) === (accountNumber === undefined))
      throw invalid('Either iban or accountNumber is required, not both.', iban ? 'accountNumber' : 'iban');
    if (accountNumber !== undefined && given.bic === undefined)
      throw invalid('bic is required with an accountNumber.', 'bic');
    return present({ name: checkedName(given), iban, accountNumber, ...bankOf(given) });
  },
  card: ({ cardToken = '' }) => ({ cardToken: checkedToken(cardToken) }),
  crypto: ({ chain = '', asset = '', address = '' }, receivedCurrency) => {
    const { kind, assets } = chainOf(chain);
    if (!assets.includes(asset)) throw invalid(`asset must be one of ${assets.join(', ')}.`, 'asset');
    if (asset !== receivedCurrency) throw invalid(`asset must be ${receivedCurrency}, as quoted.`, 'asset');
    if (!isPayable(kind, address)) throw invalid(`address is not an address of ${chain}.`, 'address');
    return { chain, asset, address };
  },
};

/** Leaves out missing fields. */
function present(destination: { [Field in DestinationField]?: string | undefined }): Destination {
  return Object.fromEntries(Object.entries(destination).filter(([, value]) => value !== undefined));
}

const LONGEST_NAME = 70; // SEPA rulebook AT-21; SWIFT has 4 lines of 35

function checkedName({ name = '' }: Destination): string {
  const trimmed = name.trim();
  if (trimmed.length > LONGEST_NAME)
    throw invalid(`name must be at most ${LONGEST_NAME} characters.`, 'name');
  if (!/\p{L}/u.test(trimmed)) throw invalid('name must contain a letter.', 'name');
  return trimmed;
}

/**
 * Checks country, length, format and check digits of an IBAN (ISO 13616, mod 97).
 * @returns without spaces, in capitals
 * @throws Problem 400 naming `iban`
 */
export function checkedIban(given: string): string {
  const iban = given.replace(/[ -]/g, '').toUpperCase();
  const { valid, errorCodes } = validateIBAN(iban);
  if (valid) return iban;
  const has = (code: IbanTools.ValidationErrorsIBAN) => errorCodes.includes(code);
  if (has(ValidationErrorsIBAN.NoIBANCountry))
    throw invalid('iban must begin with the code of a country that has IBANs.', 'iban');
  if (has(ValidationErrorsIBAN.WrongBBANLength))
    throw invalid('iban must have the length that its country prescribes.', 'iban');
  throw invalid('iban is not valid: its check digits or its format are wrong.', 'iban');
}

/** Countries of SEPA that the library does not list yet: they joined in 2024 and 2025. */
const LATE_SEPA = ['AL', 'MD', 'ME', 'MK', 'RS'];

const isSepa = (country: string) => isSEPACountry(country) || LATE_SEPA.includes(country);

/** @throws Problem 400 naming `bic` (ISO 9362: 8 or 11 characters) */
function checkedBic(given: string): string {
  const bic = given.replaceAll(' ', '').toUpperCase();
  if (!validateBIC(bic).valid) throw invalid('bic must have 8 or 11 characters (ISO 9362).', 'bic');
  return bic;
}

function bankOf({ bic, country }: Destination): Pick<Destination, 'bic' | 'country'> {
  if (country !== undefined && !/^[A-Z]{2}$/.test(country))
    throw invalid('country must be two capital letters (ISO 3166).', 'country');
  return { ...(bic === undefined ? {} : { bic: checkedBic(bic) }), ...(country ? { country } : {}) };
}

function checkedAccountNumber({ accountNumber }: Destination): string | undefined {
  if (accountNumber === undefined) return undefined;
  const number = accountNumber.replace(/[ -]/g, '').toUpperCase();
  if (!/^[0-9A-Z]{3,34}$/.test(number))
    throw invalid('accountNumber must be 3 to 34 letters and digits.', 'accountNumber');
  return number;
}

/**
 * Checks the token of a card. Refuses a card number, whatever separates its digits, and does not repeat it.
 * @throws Problem 400 naming `cardToken`
 */
function checkedToken(given: string): string {
  const cardToken = given.trim();
  if (holdsCardNumber(cardToken))
    throw invalid('cardToken must be a token: card numbers are not taken here.', 'cardToken');
  if (!/^tok_[0-9A-Za-z_]{1,120}$/.test(cardToken))
    throw invalid('cardToken must be a token such as tok_visa.', 'cardToken');
  return cardToken;
}

/** Chains of the payouts party, and the assets on each. */
const CHAINS: Record<string, { kind: ChainKind; assets: string[] }> = {
  ethereum: { kind: 'evm', assets: ['USDT', 'USDC', 'ETH'] },
  polygon: { kind: 'evm', assets: ['USDT', 'USDC'] },
  bsc: { kind: 'evm', assets: ['USDT', 'USDC'] },
  arbitrum: { kind: 'evm', assets: ['USDT', 'USDC', 'ETH'] },
  base: { kind: 'evm', assets: ['USDC', 'ETH'] },
  local: { kind: 'evm', assets: ['USDT', 'ETH'] },
};

function chainOf(chain: string) {
  const found = Object.hasOwn(CHAINS, chain) ? CHAINS[chain] : undefined;
  if (!found) throw invalid(`chain must be one of ${Object.keys(CHAINS).join(', ')}.`, 'chain');
  return found;
}

/** Money to the zero address is lost. */
function isPayable(kind: ChainKind, address: string): boolean {
  const checked = checkedAddress(kind, address);
  return checked !== undefined && !isZeroAddress(kind, checked);
}

/** A masked destination for answers: enough to recognise it, not enough to use it. */
export function maskDestination(destination: Destination): Destination {
  return Object.fromEntries(
    Object.entries(destination as Record<DestinationField, string>).map(([field, value]) => [
      field,
      masked(field as DestinationField, value),
    ]),
  );
}

function masked(field: DestinationField, value: string): string {
  switch (field) {
    case 'name':
      return value
        .split(/\s+/)
        .map((word) => `${[...word][0] ?? ''}***`)
        .join(' ');
    case 'iban':
      return `${value.slice(0, 4)}****${value.slice(-4)}`;
    case 'accountNumber':
    case 'cardToken':
      return `****${value.slice(-Math.min(4, Math.floor(value.length / 3)))}`;
    case 'address':
      return `${value.slice(0, 6)}…${value.slice(-4)}`;
    default:
      return value;
  }
}
