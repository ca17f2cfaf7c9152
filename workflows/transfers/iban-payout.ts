import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { WAITS } from '../../src/transfers/waits';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { advanceIbanPayout } = localFirst<Pick<TransferActivities, 'advanceIbanPayout'>>(
  PARTY_QUEUES.payouts,
  {
    advanceIbanPayout: (id) => `give the payouts party ${id}, or ask about it`,
  },
);

/**
 * Leads a payout from a virtual IBAN to its end (`iban-payout-<id>`).
 * @param ended its status, if it ended before its workflow started
 * @returns the payout's status
 */
export async function ibanPayout(id: string, ended?: string): Promise<string> {
  return follow(id, advanceIbanPayout, WAITS.ibanPayout, ended);
}
