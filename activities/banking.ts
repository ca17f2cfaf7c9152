import type { Composed } from '../src/composition';
import { bookCredit, type CreditOutcome, catchUpCredits } from '../src/transfers/iban/credits/operations';
import { type FeesTaken, takeMonthlyFees } from '../src/transfers/iban/fees/operations';
import type { FeePlace } from '../src/transfers/iban/fees/store';

/** Each is keyed by its record – payment of the bank, IBAN and month: run twice, it has run once. */
export interface BankingActivities {
  bookIbanCredit(bankId: string): Promise<CreditOutcome>;
  catchUpIbanCredits(): Promise<{ booked: number; more: boolean }>;
  /** @param at the workflow's time, in milliseconds since 1970 */
  takeMonthlyIbanFees(at: number, after: FeePlace | null): Promise<FeesTaken>;
}

export function createBankingActivities(services: Composed): BankingActivities {
  return {
    bookIbanCredit: (bankId) => bookCredit(services, bankId),
    catchUpIbanCredits: () => catchUpCredits(services),
    takeMonthlyIbanFees: (at, after) => takeMonthlyFees(services, new Date(at), after),
  };
}
