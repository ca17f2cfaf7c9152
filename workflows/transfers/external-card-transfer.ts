import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { WAITS } from '../../src/transfers/waits';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { advanceExternalCard } = localFirst<Pick<TransferActivities, 'advanceExternalCard'>>(
  PARTY_QUEUES.externalCards,
  {
    advanceExternalCard: (id) => `ask the card acquirer about ${id}`,
  },
);

/**
 * Leads a top-up from a payment card (`card-topup-<id>`), or a withdrawal to one (`card-withdrawal-<id>`), to its end.
 * @param ended its status, if it ended before its workflow started
 * @returns the record's status
 */
export async function externalCardTransfer(id: string, ended?: string): Promise<string> {
  return follow(id, advanceExternalCard, WAITS.externalCardTransfer, ended);
}
