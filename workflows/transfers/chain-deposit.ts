import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { WAITS } from '../../src/transfers/waits';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { advanceChainDeposit } = localFirst<Pick<TransferActivities, 'advanceChainDeposit'>>(
  PARTY_QUEUES.chain,
  {
    advanceChainDeposit: (id) => `ask the nodes about ${id}`,
  },
);

/**
 * Leads a deposit on a chain until it is final, or gone by a reorganisation (`chain-deposit-<id>`).
 * @param ended its status, if it ended before its workflow started
 * @returns the deposit's status
 */
export async function chainDeposit(id: string, ended?: string): Promise<string> {
  return follow(id, advanceChainDeposit, WAITS.chainDeposit, ended);
}
