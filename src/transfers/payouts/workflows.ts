import { reconcilable } from '../../process/overdue';
import { processOfRecord } from '../../process/workflow-command';
import { overduePayouts } from './store';

const lifecycle = processOfRecord({
  workflow: 'payoutLifecycle',
  prefix: 'payout-lifecycle-',
  summary: 'Payout',
});

export const startLifecycle = lifecycle.start;
export const lookAtPayout = lifecycle.look;

/** Those completed for days too: they may have come back without a word. */
export const payoutProcesses = reconcilable({
  name: 'payouts',
  processes: [lifecycle],
  overdue: overduePayouts,
  drive: startLifecycle,
});
