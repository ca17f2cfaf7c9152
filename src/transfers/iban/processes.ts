import type { WorkflowCommand } from '../../kernel/outbox/commands';
import { QUEUES } from '../../kernel/outbox/queues';
import type { Reconcilable } from '../../kernel/temporal/reconciler';
import { forgottenPayouts } from './payouts/store';

const PAYOUT = 'iban-payout-';
const CREDIT = 'iban-credit-';

type Named = { id: string; tenantId: string };

export const startIbanPayout = (payout: Named) => payoutCommand('start', payout);
/** Where it has ended it begins again, looks once, and ends. */
export const lookAtIbanPayout = (payout: Named) => payoutCommand('look', payout);

function payoutCommand(action: WorkflowCommand['action'], { id, tenantId }: Named): WorkflowCommand {
  return {
    workflow: 'ibanPayout',
    workflowId: PAYOUT + id,
    taskQueue: QUEUES.processes,
    action,
    args: [id],
    tenantId,
    summary: 'Payout from a virtual IBAN',
  };
}

/** @param bankId the bank's name for the payment: it has no record of ours yet */
export function startIbanCredit(bankId: string): WorkflowCommand {
  return {
    workflow: 'ibanCredit',
    workflowId: CREDIT + bankId,
    taskQueue: QUEUES.processes,
    action: 'start',
    args: [bankId],
    summary: 'Credit to a virtual IBAN',
  };
}

/**
 * Payouts that nobody watches: their workflow should have looked by now, or they have been completed for days and may
 * have come back without a word. Credits that nobody told us of are found by the schedule that asks the bank.
 */
export const ibanPayoutProcesses: Reconcilable = {
  name: 'IBAN payouts',
  async stale(sql, olderThan, limit, except) {
    const ids = except.flatMap((id) => (id.startsWith(PAYOUT) ? [id.slice(PAYOUT.length)] : []));
    return (await forgottenPayouts(sql, olderThan, limit, ids)).map(startIbanPayout);
  },
};
