import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { advanceChainDeposit } = localFirst<TransferActivities>(PARTY_QUEUES.chain);

/** Lines for the operator in Temporal's UI, by status. */
const WAITS: Record<string, string> = {
  confirming: 'Waits for the blocks that make it final.',
  credited: 'Credited: the chain does not have it now, and is waited for.',
  uncredited: 'Not credited: the chain is waited for.',
};

/**
 * Leads a deposit on a chain until it is final, or gone by a reorganisation (`chain-deposit-<id>`).
 * @returns the deposit's status
 */
export async function chainDeposit(id: string): Promise<string> {
  return follow(id, advanceChainDeposit, WAITS);
}
