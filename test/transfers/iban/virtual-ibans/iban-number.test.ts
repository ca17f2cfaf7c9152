import { SANDBOX_RANGE } from '../../../../src/kernel/config/virtual-ibans';
import { ibanOf, normalized } from '../../../../src/transfers/iban/virtual-ibans/iban-number';
import { checkDestination } from '../../../../src/transfers/payouts/destinations/destination';

it('IBANs of the range are valid, and equal in any spelling', () => {
  for (const number of [1n, 42n, 99_999_999_999n]) {
    const iban = ibanOf(SANDBOX_RANGE, number);
    expect(checkDestination('sepa', { name: 'Ada', iban }, 'EUR').iban).toBe(iban);
    expect(normalized(iban.toLowerCase().replace(/(.{4})/g, '$1 '))).toBe(iban);
  }
  expect(() => ibanOf(SANDBOX_RANGE, 100_000_000_000n)).toThrow('used up');
});
