import { reconcilable } from '../../process/overdue';
import { processOfRecord } from '../../process/workflow-command';
import { overdueMessages } from './store';

/** What was answered without knowing what is committed is settled by a process of its own, started with its record. */
const unanswered = processOfRecord({
  workflow: 'unansweredAuthorization',
  prefix: 'unanswered-authorization-',
  summary: 'Declined to the network without an answer of ours',
});

export const startUnanswered = unanswered.start;

/** Its process is started again when Temporal has lost it. */
export const unansweredProcesses = reconcilable({
  name: 'unanswered authorizations',
  processes: [unanswered],
  overdue: overdueMessages,
  drive: startUnanswered,
});
