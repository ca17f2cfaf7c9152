import type { Sql, Tx } from '../../../kernel/db/database';
import type { Services } from '../../../services';
import { decide } from '../../engine/decide';
import { countNotOrdered, lockNotOrdered, type NotOrdered } from '../../engine/tables/lock-several';
import { isFinal, OPEN_PAYOUT_STATUSES } from '../../payouts/record';
import { type Change, markDestinationDisabled } from '../destinations/operations';
import type { WithdrawalDestination } from '../destinations/record';
import { exchangeWithdrawalKind } from './kind';

/** Failure code of a withdrawal that was cancelled with its destination. */
export const DESTINATION_DISABLED = 'destination_disabled';

/**
 * Disables a destination for ever. Cancels its withdrawals that the exchange was not told of, in the same
 * transaction, and releases their holds. Other withdrawals go on. Locks the destination, then the transfers, then
 * their accounts.
 * @returns `cancelled`: the withdrawals that ended
 * @throws Problem 404; 409 `invalid_transition`
 */
export async function disableDestination(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  { id, by }: Pick<Change, 'id' | 'by'>,
): Promise<{ before: WithdrawalDestination; after: WithdrawalDestination; cancelled: string[] }> {
  // The destination's row is locked first. A withdrawal that is made at the same time is then found below, or is
  // refused.
  const changed = await markDestinationDisabled(tx, { id, by, at: services.now() });
  const found = await lockNotOrdered(tx, exchangeWithdrawalKind, waitingFor(changed.after));
  const cancelled: string[] = [];
  for (const each of found) if (await cancel(services, tx, each, by)) cancelled.push(each);
  return { ...changed, cancelled };
}

/** The number of withdrawals that the exchange was not told of. */
export const notOrderedTo = (sql: Sql, destination: WithdrawalDestination): Promise<number> =>
  countNotOrdered(sql, exchangeWithdrawalKind, waitingFor(destination));

const waitingFor = ({ id, tenantId }: WithdrawalDestination): NotOrdered => ({
  tenantId,
  statuses: OPEN_PAYOUT_STATUSES,
  term: 'destinationId',
  value: id,
});

/** @returns false for a withdrawal that has ended, by the word that counts */
async function cancel(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  id: string,
  decidedBy: string,
): Promise<boolean> {
  const { before, after } = await decide(services, tx, exchangeWithdrawalKind, {
    id,
    noun: exchangeWithdrawalKind.noun,
    decidedBy,
    asked: {},
    judge: ({ transfer: { status, orderedAt } }) =>
      orderedAt === null && !isFinal(status) ? [{ kind: 'cancel', reason: DESTINATION_DISABLED }] : [],
  });
  return before.transfer.status !== after.transfer.status && after.transfer.status === 'cancelled';
}
