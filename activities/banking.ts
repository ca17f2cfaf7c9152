import type { Composed } from '../src/composition';
import { type FeePlace, type FeesTaken, takeMonthlyFees } from '../src/transfers/iban/fees/operations';

/** Each is keyed by its record – IBAN and month: run twice, it has run once. */
export interface BankingActivities {
  takeMonthlyIbanFees(after: FeePlace | null): Promise<FeesTaken>;
}

export function createBankingActivities(services: Composed): BankingActivities {
  return {
    takeMonthlyIbanFees: (after) => takeMonthlyFees(services, after),
  };
}
