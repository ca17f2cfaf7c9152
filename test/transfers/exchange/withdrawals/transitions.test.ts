import { transitionOf } from '../../../../src/transfers/engine/record';
import { exchangeWithdrawalKind } from '../../../../src/transfers/exchange/withdrawals/kind';
import { PAYOUT_STATUSES, type PayoutTrigger } from '../../../../src/transfers/payouts/record';

/** A second copy of the table in decisions part 4, Payouts and Exchange. Every other transition is refused. */
const TABLE: Record<PayoutTrigger, Record<string, string>> = {
  approval_required: { created: 'pending_approval' },
  accepted: { created: 'processing' },
  approved: { pending_approval: 'processing' },
  rejected: { pending_approval: 'rejected' },
  cancelled: { created: 'cancelled', pending_approval: 'cancelled', processing: 'cancelled' },
  sent: { processing: 'sent', failed: 'sent', returned: 'sent' },
  completed: { sent: 'completed', returned: 'completed' },
  failed: { processing: 'failed', sent: 'returned', completed: 'returned' },
  returned: { sent: 'returned', completed: 'returned' },
  reopened: {},
  incoherent: {},
};

it.each(Object.keys(TABLE) as PayoutTrigger[])('%s leads only from the statuses of the decisions', (on) => {
  for (const from of PAYOUT_STATUSES)
    expect([from, transitionOf(exchangeWithdrawalKind.transitions, from, on)?.to]).toEqual([
      from,
      TABLE[on][from],
    ]);
});
