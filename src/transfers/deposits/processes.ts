import type { WorkflowCommand } from '../../kernel/outbox/commands';
import { QUEUES } from '../../kernel/outbox/queues';
import type { Reconcilable } from '../../kernel/temporal/reconciler';
import { forgottenDeposits } from './store';

const PREFIX = 'deposit-';
const PAYMENT_PREFIX = 'checkout-payment-';

type Named = { id: string; tenantId: string };

export const startDeposit = (deposit: Named) => command('start', deposit);
/** Where it has ended it begins again, looks once, and ends. */
export const lookAtDeposit = (deposit: Named) => command('look', deposit);

function command(action: WorkflowCommand['action'], { id, tenantId }: Named): WorkflowCommand {
  return {
    workflow: 'depositLifecycle',
    workflowId: PREFIX + id,
    taskQueue: QUEUES.processes,
    action,
    args: [id],
    tenantId,
    summary: 'Deposit by hosted checkout',
  };
}

/** Of a session that no deposit knows, or does not know yet. */
export const matchPayment = (sessionId: string): WorkflowCommand => ({
  workflow: 'checkoutPayment',
  workflowId: PAYMENT_PREFIX + sessionId,
  taskQueue: QUEUES.processes,
  action: 'look',
  args: [sessionId],
  summary: 'A checkout that no deposit knows',
});

/** Deposits that nobody watches: their workflow should have looked by now. To start one that runs has no effect on it. */
export const depositProcesses: Reconcilable = {
  name: 'deposits',
  async stale(sql, olderThan, limit, except) {
    const ids = except.flatMap((id) => (id.startsWith(PREFIX) ? [id.slice(PREFIX.length)] : []));
    return (await forgottenDeposits(sql, olderThan, limit, ids)).map(startDeposit);
  },
};
