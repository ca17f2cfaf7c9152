import { Problem } from '../../../../src/kernel/errors';
import type { PayoutMethod } from '../../../../src/parties/payouts/port';
import { type Destination } from '../../../../src/parties/payouts/port';
import {
  checkDestination,
  maskDestination,
} from '../../../../src/transfers/payouts/destinations/destination';

/** The invalid field, or undefined if the destination is accepted. */
function fault(method: PayoutMethod, given: Destination, currency = 'EUR'): string | undefined {
  try {
    checkDestination(method, given, currency);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    expect([error.status, error.code]).toEqual([400, 'invalid_request']);
    const { chain: _chain, asset: _asset, ...personal } = given;
    for (const value of Object.values(personal))
      if (value.length > 6) expect(error.message).not.toContain(value); // never in the message
    return error.field;
  }
}

const ada = 'Ada Byron';
const GERMAN = 'DE89370400440532013000';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const EVM = `0x${'5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'}`;
const usdt = { chain: 'ethereum', asset: 'USDT' };

describe.each<[PayoutMethod, string, Destination, string | undefined]>([
  // SEPA
  ['sepa', 'an IBAN', { name: ada, iban: GERMAN }, undefined],
  ['sepa', 'spaces and small letters', { name: ada, iban: 'de89 3704 0044 0532 0130 00' }, undefined],
  ['sepa', 'the shortest IBAN, a Norwegian one', { name: ada, iban: 'NO9386011117947' }, undefined],
  ['sepa', 'a Maltese one, the longest', { name: ada, iban: 'MT84MALT011000012345MTLCAST001S' }, undefined],
  ['sepa', 'a country that joined lately', { name: ada, iban: 'RS35260005601001611379' }, undefined],
  ['sepa', 'wrong check digits', { name: ada, iban: 'DE88370400440532013000' }, 'iban'],
  ['sepa', 'two digits swapped', { name: ada, iban: 'DE89370400440532013003' }, 'iban'],
  ['sepa', 'too short for its country', { name: ada, iban: 'DE8937040044053201300' }, 'iban'],
  ['sepa', 'too long for its country', { name: ada, iban: `${GERMAN}0` }, 'iban'],
  ['sepa', 'a country without IBANs', { name: ada, iban: 'US89370400440532013000' }, 'iban'],
  ['sepa', 'a country outside of SEPA', { name: ada, iban: 'AE070331234567890123456' }, 'iban'],
  ['sepa', 'no IBAN', { name: ada }, 'iban'],
  ['sepa', 'an empty IBAN', { name: ada, iban: ' ' }, 'iban'],
  ['sepa', 'no name', { iban: GERMAN }, 'name'],
  ['sepa', 'a name of spaces', { name: '  ', iban: GERMAN }, 'name'],
  ['sepa', 'a name without letters', { name: '1234', iban: GERMAN }, 'name'],
  ['sepa', 'a name of 71', { name: 'a'.repeat(71), iban: GERMAN }, 'name'],
  ['sepa', 'a name of 70', { name: 'a'.repeat(70), iban: GERMAN }, undefined],
  ['sepa', 'a BIC of 8', { name: ada, iban: GERMAN, bic: 'DEUTDEFF' }, undefined],
  ['sepa', 'a BIC of 11', { name: ada, iban: GERMAN, bic: 'DEUTDEFF500' }, undefined],
  ['sepa', 'a BIC of 9', { name: ada, iban: GERMAN, bic: 'DEUTDEFF5' }, 'bic'],
  ['sepa', 'a BIC of no country', { name: ada, iban: GERMAN, bic: 'DEUTQQFF' }, 'bic'],
  ['sepa', 'a country in words', { name: ada, iban: GERMAN, country: 'Germany' }, 'country'],
  ['sepa', 'an account number', { name: ada, iban: GERMAN, accountNumber: '123456' }, 'accountNumber'],
  ['sepa', 'a card token', { name: ada, iban: GERMAN, cardToken: 'tok_visa' }, 'cardToken'],
  // SWIFT
  ['swift', 'an IBAN', { name: ada, iban: GERMAN, bic: 'DEUTDEFF' }, undefined],
  ['swift', 'a country outside of SEPA', { name: ada, iban: 'AE070331234567890123456' }, undefined],
  ['swift', 'an account number', { name: ada, accountNumber: '1234-567 890', bic: 'CHASUS33' }, undefined],
  ['swift', 'no BIC beside it', { name: ada, accountNumber: '1234567890' }, 'bic'],
  ['swift', 'neither', { name: ada, bic: 'CHASUS33' }, 'iban'],
  ['swift', 'both', { name: ada, iban: GERMAN, accountNumber: '123456', bic: 'CHASUS33' }, 'accountNumber'],
  ['swift', 'signs in it', { name: ada, accountNumber: '12_34', bic: 'CHASUS33' }, 'accountNumber'],
  // Cards
  ['card', 'a token', { cardToken: 'tok_visa' }, undefined],
  ['card', 'a number', { cardToken: '4242424242424242' }, 'cardToken'],
  ['card', 'a number with spaces', { cardToken: '4242 4242 4242 4242' }, 'cardToken'],
  ['card', 'a number in a token', { cardToken: 'tok_4242-4242-4242-4242' }, 'cardToken'],
  ['card', 'something else', { cardToken: 'visa' }, 'cardToken'],
  ['card', 'nothing', {}, 'cardToken'],
])('%s', (method, what, given, expected) => {
  it(`${what}: ${expected ?? 'taken'}`, () => expect(fault(method, given)).toBe(expected));
});

describe.each<[string, Destination, string, string | undefined]>([
  ['an address in small letters', { ...usdt, address: EVM }, 'USDT', undefined],
  ['an address in capitals', { ...usdt, address: `0x${EVM.slice(2).toUpperCase()}` }, 'USDT', undefined],
  [
    'an address with a right checksum',
    { ...usdt, address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
    'USDT',
    undefined,
  ],
  [
    'an address with a wrong checksum',
    { ...usdt, address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed' },
    'USDT',
    'address',
  ],
  ['39 digits', { ...usdt, address: EVM.slice(0, -1) }, 'USDT', 'address'],
  ['the zero address', { ...usdt, address: `0x${'0'.repeat(40)}` }, 'USDT', 'address'],
  ['an address of another kind of chain', { ...usdt, address: TRON }, 'USDT', 'address'],
  ['another kind of chain', { chain: 'tron', asset: 'USDT', address: TRON }, 'USDT', 'chain'],
  ['an asset that is not on the chain', { chain: 'base', asset: 'USDT', address: EVM }, 'USDT', 'asset'],
  ['an asset that was not quoted', { ...usdt, address: EVM }, 'USDC', 'asset'],
  ['an unknown chain', { ...usdt, chain: 'moon', address: EVM }, 'USDT', 'chain'],
  [
    'a property name of every object as the chain',
    { ...usdt, chain: 'constructor', address: EVM },
    'USDT',
    'chain',
  ],
  ['no address', usdt, 'USDT', 'address'],
])('crypto', (what, given, currency, expected) => {
  it(`${what}: ${expected ?? 'taken'}`, () => expect(fault('crypto', given, currency)).toBe(expected));
});

it('stores IBAN, BIC and account number without spaces and in capitals', () => {
  const given = { name: ' Ada Byron ', iban: 'de89 3704-0044 0532 0130 00', bic: 'deut deff' };
  expect(checkDestination('sepa', given, 'EUR')).toEqual({ name: ada, iban: GERMAN, bic: 'DEUTDEFF' });
  const account = { name: ada, accountNumber: 'ab-12 34', bic: 'CHASUS33' };
  expect(checkDestination('swift', account, 'USD')).toMatchObject({ accountNumber: 'AB1234' });
});

it('masks destinations so that they stay recognisable', () => {
  expect(maskDestination({ name: 'Ada Byron', iban: GERMAN, bic: 'DEUTDEFF', country: 'DE' })).toEqual({
    name: 'A*** B***',
    iban: 'DE89****3000',
    bic: 'DEUTDEFF',
    country: 'DE',
  });
  expect(maskDestination({ accountNumber: '1234567890' })).toEqual({ accountNumber: '****890' });
  expect(maskDestination({ accountNumber: '123' })).toEqual({ accountNumber: '****3' });
  expect(maskDestination({ chain: 'polygon', asset: 'USDT', address: EVM })).toEqual({
    chain: 'polygon',
    asset: 'USDT',
    address: `${EVM.slice(0, 6)}…${EVM.slice(-4)}`,
  });
});
