import type { Composed } from '../src/composition';
import { advanceDeposit, type DepositProgress, type DepositStep } from '../src/transfers/deposits/advance';
import { type MatchProgress, matchSession } from '../src/transfers/deposits/payments/unmatched';

/** Each asks the party for the present state and records what is new in it: run twice, it has run once. */
export interface DepositActivities {
  lookAtDeposit(step: DepositStep): Promise<DepositProgress>;
  matchSession(sessionId: string): Promise<MatchProgress>;
}

export function createDepositActivities(services: Composed): DepositActivities {
  return {
    lookAtDeposit: (step) => advanceDeposit(services, step),
    matchSession: (sessionId) => matchSession(services, sessionId),
  };
}
