import { reconcilable } from '../../process/overdue';
import { processOfRecord } from '../../process/workflow-command';
import { overdueCardholders } from './store';

export const submission = processOfRecord({
  workflow: 'cardholderSubmission',
  prefix: 'cardholder-submission-',
  summary: 'Cardholder review and submission',
});

export const startSubmission = submission.start;
export const lookAtCardholder = submission.look;

/**
 * Restarts the workflow of each overdue cardholder. A cardholder that waits for an operator is not overdue, so they
 * do not pile up.
 */
export const cardholderProcesses = reconcilable({
  name: 'cardholders',
  processes: [submission],
  overdue: overdueCardholders,
  drive: startSubmission,
});
