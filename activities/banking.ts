import type { Composed } from '../src/composition';
import { type FeesTaken, takeMonthlyFees } from '../src/transfers/iban/fees/operations';
import type { FeePlace } from '../src/transfers/iban/fees/store';

/** Each is keyed by its record – IBAN and month: run twice, it has run once. */
export interface BankingActivities {
  /** @param at the workflow's time, in milliseconds since 1970 */
  takeMonthlyIbanFees(at: number, after: FeePlace | null): Promise<FeesTaken>;
}

export function createBankingActivities(services: Composed): BankingActivities {
  return {
    takeMonthlyIbanFees: (at, after) => takeMonthlyFees(services, new Date(at), after),
  };
}
