import type { Composed } from '../src/composition';
import { type FeesTaken, takeMonthlyFees } from '../src/transfers/iban/fees/operations';
import type { FeePlace } from '../src/transfers/iban/fees/store';
import { advancePayout, type IbanPayoutProgress } from '../src/transfers/iban/payouts/advance';

/** Each is keyed by its record – payout, IBAN and month: run twice, it has run once. */
export interface BankingActivities {
  advanceIbanPayout(id: string): Promise<IbanPayoutProgress>;
  /** @param at the workflow's time, in milliseconds since 1970 */
  takeMonthlyIbanFees(at: number, after: FeePlace | null): Promise<FeesTaken>;
}

export function createBankingActivities(services: Composed): BankingActivities {
  return {
    advanceIbanPayout: (id) => advancePayout(services, id),
    takeMonthlyIbanFees: (at, after) => takeMonthlyFees(services, new Date(at), after),
  };
}
