import { reconcilable } from '../../process/overdue';
import { processOf, processOfRecord } from '../../process/workflow-command';
import { overduePayouts } from './payouts/store';

const payout = processOfRecord({
  workflow: 'ibanPayout',
  prefix: 'iban-payout-',
  summary: 'Payout from a virtual IBAN',
});

export const startIbanPayout = payout.start;
export const lookAtIbanPayout = payout.look;

const credit = processOf<{ bankId: string; tenantId?: never }>({
  workflow: 'ibanCredit',
  prefix: 'iban-credit-',
  summary: 'Credit to a virtual IBAN',
  key: ({ bankId }) => [bankId],
});

/** @param bankId the bank's name for the payment: it has no record of ours yet */
export const startIbanCredit = (bankId: string) => credit.start({ bankId });

/**
 * Those completed for days too: they may have come back without a word. Credits that nobody told us of are found by the
 * schedule that asks the bank.
 */
export const ibanPayoutProcesses = reconcilable({
  name: 'IBAN payouts',
  processes: [payout],
  overdue: overduePayouts,
  drive: startIbanPayout,
});
