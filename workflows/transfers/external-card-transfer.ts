import { patched } from '@temporalio/workflow';
import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';
import { beforeTheEngine } from './before-the-engine';

const { advanceExternalCard } = localFirst<TransferActivities>(PARTY_QUEUES.externalCards);

/** What it waits for, as the operator reads it. */
const WAITS: Record<string, string> = {
  pending_approval: "Waits for an operator's decision: it is above the tenant's thresholds.",
  pending: 'Asking the card acquirer.',
  requires_action: 'The payer must confirm on the page of the card’s bank.',
  processing: 'The card acquirer has taken it on; the money is on its way.',
};

/**
 * Leads a top-up from a payment card (`card-topup-<id>`) or a withdrawal to one (`card-withdrawal-<id>`) until the acquirer
 * has decided.
 * @param asked how often a run of an earlier release had asked
 * @returns the record's status
 */
export async function externalCardTransfer(id: string, asked?: number): Promise<string> {
  return patched('transfer-engine')
    ? follow(id, advanceExternalCard, WAITS)
    : beforeTheEngine.externalCard(id, asked);
}
