import { Decimal } from '../../../src/kernel/money/money';
import type { PayoutState } from '../../../src/parties/payouts/port';
import {
  IBAN_PAYOUT_STATUSES,
  type IbanPayoutStatus,
  returnedOf,
  transitionOf,
  triggersTo,
} from '../../../src/transfers/iban/payouts/rules';
import { ibanOf, normalized, SANDBOX_RANGE } from '../../../src/transfers/iban/virtual-ibans/iban-number';
import { checkDestination } from '../../../src/transfers/payouts/destinations/destination';

const STATES = ['processing', 'sent', 'completed', 'failed', 'returned'] as const;
const state = (status: PayoutState['status']): PayoutState => ({ status });

function reachedFrom(status: IbanPayoutStatus, told: PayoutState): IbanPayoutStatus {
  return triggersTo(status, told).reduce((reached, trigger) => {
    const found = transitionOf(reached, trigger);
    expect(found).toBeDefined();
    return found?.to ?? reached;
  }, status);
}

it('a payout stands where the party says, in whatever order it is told', () => {
  for (const told of STATES) {
    const expected = told;
    expect(reachedFrom('created', state(told))).toBe(expected);
  }
  expect(reachedFrom('completed', state('processing'))).toBe('completed');
  expect(reachedFrom('completed', state('sent'))).toBe('completed');
  expect(reachedFrom('sent', state('failed'))).toBe('returned');
  expect(reachedFrom('failed', state('completed'))).toBe('completed');
  expect(reachedFrom('failed', state('processing'))).toBe('failed');
  expect(reachedFrom('returned', state('completed'))).toBe('returned');
  for (const status of IBAN_PAYOUT_STATUSES)
    for (const told of STATES) {
      const reached = reachedFrom(status, state(told));
      expect(reachedFrom(reached, state(told))).toBe(reached);
    }
});

it('never more comes back than was paid', () => {
  const amount = new Decimal('10.00');
  const returned = (given: string) =>
    returnedOf(amount, { ...state('returned'), returned: new Decimal(given) });
  expect([returned('4'), returned('11'), returned('-1')].map(String)).toEqual(['4', '10', '0']);
  expect(returnedOf(amount, state('returned'))).toEqual(amount);
});

it('IBANs of the range are valid, and written in any way they are the same', () => {
  for (const number of [1n, 42n, 99_999_999_999n]) {
    const iban = ibanOf(SANDBOX_RANGE, number);
    expect(checkDestination('sepa', { name: 'Ada', iban }, 'EUR').iban).toBe(iban);
    expect(normalized(iban.toLowerCase().replace(/(.{4})/g, '$1 '))).toBe(iban);
  }
  expect(() => ibanOf(SANDBOX_RANGE, 100_000_000_000n)).toThrow('used up');
});
