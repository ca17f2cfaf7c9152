import type { Composed } from '../src/composition';
import { type FeePlace, type FeesTaken, takeMonthlyFees } from '../src/transfers/iban/fees/operations';

/** Idempotent: a fee is a row under (IBAN, month). */
export interface BankingActivities {
  /** @param after the last fee of the previous batch; null for the first batch of a run */
  takeMonthlyIbanFees(after: FeePlace | null): Promise<FeesTaken>;
}

export function createBankingActivities(services: Composed): BankingActivities {
  return {
    takeMonthlyIbanFees: (after) => takeMonthlyFees(services, after),
  };
}
