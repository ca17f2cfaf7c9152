import { readVirtualIbans, SANDBOX_RANGE } from '../../../src/kernel/config/virtual-ibans';
import { isIban } from '../../../src/kernel/iban';
import { ibanOf } from '../../../src/transfers/iban/virtual-ibans/iban-number';

const rangeOf = (prefix: string | undefined, bic: string | undefined = 'COBADEFFXXX') =>
  readVirtualIbans({ VIRTUAL_IBAN_PREFIX: prefix, VIRTUAL_IBAN_BIC: bic });

it.each([
  ['DE370400440532', 'DE19370400440532000001', 1_000_000n],
  ['LT99999', 'LT029999900000000001', 100_000_000_000n],
  ['IEAIBK931152', 'IE83AIBK93115200000001', 100_000_000n],
  ['MTMALT01100', 'MT27MALT01100000000000000000001', 10n ** 18n],
])('numbers the IBANs of %s from %s until the range is used up', (prefix, first, end) => {
  const { ibanRange, wrong } = rangeOf(prefix);
  expect(wrong).toEqual([]);
  const range = ibanRange ?? SANDBOX_RANGE;
  expect(ibanOf(range, 1n)).toBe(first);
  for (const number of [1n, 97n, end - 1n]) expect(isIban(ibanOf(range, number))).toBe(true);
  expect(() => ibanOf(range, end)).toThrow('used up');
});

it('gives no range without both variables', () => {
  expect(readVirtualIbans({})).toEqual({ ibanRange: undefined, wrong: [] });
});

it.each([
  ['an unknown country', 'XX37040044', 'COBADEFFXXX', ['VIRTUAL_IBAN_PREFIX']],
  [
    'a country whose account numbers have check digits',
    'ES2100041845',
    'COBADEFFXXX',
    ['VIRTUAL_IBAN_PREFIX'],
  ],
  ['a bank code that is cut off', 'DE3704', 'COBADEFFXXX', ['VIRTUAL_IBAN_PREFIX']],
  ['too few digits left', 'DE370400440532013', 'COBADEFFXXX', ['VIRTUAL_IBAN_PREFIX']],
  ['small letters and spaces', 'de 3704 0044', 'COBADEFFXXX', ['VIRTUAL_IBAN_PREFIX']],
  ['no BIC', 'DE37040044', '', ['VIRTUAL_IBAN_BIC']],
  ['a BIC alone', undefined, 'COBADEFFXXX', ['VIRTUAL_IBAN_PREFIX']],
])('refuses %s', (_, prefix, bic, names) => {
  const { ibanRange, wrong } = rangeOf(prefix, bic);
  expect(ibanRange).toBeUndefined();
  expect(wrong.map((line) => line.split(':')[0])).toEqual(names);
});
