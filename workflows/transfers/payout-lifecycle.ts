import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { WAITS } from '../../src/transfers/waits';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { advancePayout } = localFirst<Pick<TransferActivities, 'advancePayout'>>(PARTY_QUEUES.payouts, {
  advancePayout: (id) => `give the payouts party ${id}, or ask about it`,
});

/**
 * Leads a payout from its creation to its end (`payout-lifecycle-<payoutId>`).
 * @param ended its status, if it ended before its workflow started
 * @returns the payout's status
 */
export async function payoutLifecycle(payoutId: string, ended?: string): Promise<string> {
  return follow(payoutId, advancePayout, WAITS.payoutLifecycle, ended);
}
