import type { Tx } from '../../../kernel/db/database';
import type { Services } from '../../../services';
import { decide } from '../../engine/decide';
import { lockNotOrdered } from '../../engine/tables/lock-several';
import { isFinal, PAYOUT_STATUSES } from '../../payouts/record';
import { type Change, shutDestination } from '../destinations/operations';
import type { WithdrawalDestination } from '../destinations/record';
import { exchangeWithdrawalKind } from './kind';

/** What a client reads of a withdrawal that was cancelled with its destination. */
export const DESTINATION_DISABLED = 'destination_disabled';

const OPEN = PAYOUT_STATUSES.filter((status) => !isFinal(status));

/**
 * Disables a destination for ever. What the exchange has not been told of is cancelled in the same transaction, and what it
 * holds is released; the rest goes on. Locks: the destination, the transfers, their accounts.
 * @returns `cancelled`: the withdrawals that ended
 * @throws Problem 404; 409 `invalid_transition`
 */
export async function disableDestination(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  { id, by }: Pick<Change, 'id' | 'by'>,
): Promise<{ before: WithdrawalDestination; after: WithdrawalDestination; cancelled: string[] }> {
  // Its row first: whoever makes a withdrawal holds it, and so is seen below, or sees that it is disabled.
  const changed = await shutDestination(tx, { id, by, at: services.now() });
  const found = await lockNotOrdered(tx, exchangeWithdrawalKind, {
    ...{ tenantId: changed.after.tenantId, statuses: OPEN, term: 'destinationId', value: id },
  });
  const cancelled: string[] = [];
  for (const each of found) if (await cancel(services, tx, each, by)) cancelled.push(each);
  return { ...changed, cancelled };
}

/** @returns false for one that has ended, by the word that counts */
async function cancel(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  id: string,
  decidedBy: string,
): Promise<boolean> {
  const { before, after } = await decide(services, tx, exchangeWithdrawalKind, {
    ...{ id, noun: exchangeWithdrawalKind.noun, decidedBy, asked: {} },
    judge: ({ transfer: { status, orderedAt } }) =>
      orderedAt === null && !isFinal(status) ? [{ kind: 'cancel', reason: DESTINATION_DISABLED }] : [],
  });
  return before.transfer.status !== after.transfer.status && after.transfer.status === 'cancelled';
}
