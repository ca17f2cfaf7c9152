import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { WAITS } from '../../src/transfers/waits';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { lookAtDeposit } = localFirst<Pick<TransferActivities, 'lookAtDeposit'>>(PARTY_QUEUES.checkout, {
  lookAtDeposit: (id) => `ask the checkout about ${id}`,
});

/**
 * Leads a deposit from its creation to its end (`deposit-<depositId>`).
 * @param ended its status, if it ended before its workflow started
 * @returns the deposit's status
 */
export async function depositLifecycle(depositId: string, ended?: string): Promise<string> {
  return follow(depositId, lookAtDeposit, WAITS.depositLifecycle, ended);
}
