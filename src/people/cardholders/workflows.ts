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

/** One that waits for a person is looked at by its own workflow, so that thousands of them do not come here. */
export const cardholderProcesses = reconcilable({
  name: 'cardholders',
  processes: [submission],
  overdue: overdueCardholders,
  drive: startSubmission,
});
