import { reconcilable } from '../../process/overdue';
import { type Driven, processOfRecord } from '../../process/workflow-command';
import type { ExternalCardKind } from './rules';
import { overdueTransactions } from './store';

interface Subject extends Driven {
  kind: ExternalCardKind;
}

/** One workflow drives both kinds; its id says which. */
const PROCESSES = {
  topup: processOfRecord<Subject>({
    workflow: 'externalCardTransfer',
    prefix: 'card-topup-',
    summary: 'Top-up from a payment card',
  }),
  withdrawal: processOfRecord<Subject>({
    workflow: 'externalCardTransfer',
    prefix: 'card-withdrawal-',
    summary: 'Withdrawal to a payment card',
  }),
};

export const startTransfer = (transaction: Subject) => PROCESSES[transaction.kind].start(transaction);
export const lookAtTransfer = (transaction: Subject) => PROCESSES[transaction.kind].look(transaction);

/** Those completed for days too: they may have gone back without a word. */
export const externalCardProcesses = reconcilable({
  name: 'external cards',
  processes: Object.values(PROCESSES),
  overdue: overdueTransactions,
  drive: startTransfer,
});
