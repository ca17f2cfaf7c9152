import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { advanceChainDeposit } = localFirst<TransferActivities>(PARTY_QUEUES.chain);

/** What it waits for, as the operator reads it. */
const WAITS: Record<string, string> = {
  confirming: 'Waits for the blocks that make it final.',
  credited: 'Credited: the chain does not have it now, and is waited for.',
  uncredited: 'Not credited: the chain is waited for.',
};

/**
 * Leads a deposit on a chain to where it is final, and back where the chain takes it back (`chain-deposit-<id>`).
 * @returns the deposit's status
 */
export async function chainDeposit(id: string): Promise<string> {
  return follow(id, advanceChainDeposit, WAITS);
}
