import { reconcilable } from '../../process/overdue';
import { processOfRecord } from '../../process/workflow-command';
import { overduePayouts } from './payouts/store';

const payout = processOfRecord({
  workflow: 'ibanPayout',
  prefix: 'iban-payout-',
  summary: 'Payout from a virtual IBAN',
});

export const startIbanPayout = payout.start;
export const lookAtIbanPayout = payout.look;

/**
 * Those completed for days too: they may have come back without a word.
 */
export const ibanPayoutProcesses = reconcilable({
  name: 'IBAN payouts',
  processes: [payout],
  overdue: overduePayouts,
  drive: startIbanPayout,
});
