import type { Composed } from '../src/composition';
import { advancePayout, type PayoutStep } from '../src/transfers/payouts/advance';
import type { PayoutStatus } from '../src/transfers/payouts/rules';

/** A look submits under the payout's key and records the party's present state: done twice, it is done once. */
export interface PayoutActivities {
  advancePayout(step: PayoutStep): Promise<PayoutStatus>;
}

export function createPayoutActivities(services: Composed): PayoutActivities {
  return { advancePayout: (step) => advancePayout(services, step) };
}
