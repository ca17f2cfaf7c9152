import { reconcilable } from '../../process/overdue';
import { processOf, processOfRecord } from '../../process/workflow-command';
import { overdueDeposits } from './store';

const lifecycle = processOfRecord({
  workflow: 'depositLifecycle',
  prefix: 'deposit-',
  summary: 'Deposit by hosted checkout',
});

export const startDeposit = lifecycle.start;
export const lookAtDeposit = lifecycle.look;

/** Of a session that no deposit knows, or does not know yet. */
const payment = processOf<{ sessionId: string; tenantId?: never }>({
  workflow: 'checkoutPayment',
  prefix: 'checkout-payment-',
  summary: 'A checkout that no deposit knows',
  key: ({ sessionId }) => [sessionId],
});

export const matchPayment = (sessionId: string) => payment.look({ sessionId });

export const depositProcesses = reconcilable({
  name: 'deposits',
  processes: [lifecycle],
  overdue: overdueDeposits,
  drive: startDeposit,
});
