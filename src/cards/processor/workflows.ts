import { reconcilable } from '../../process/overdue';
import { processOfRecord } from '../../process/workflow-command';
import { overdueMessages } from './store';

/**
 * Settles an authorization that was declined without being judged. The command that starts it commits with the stored
 * message.
 */
const unanswered = processOfRecord({
  workflow: 'unansweredAuthorization',
  prefix: 'unanswered-authorization-',
  summary: 'Declined to the network without an answer of ours',
});

export const startUnanswered = unanswered.start;

/** Restarts the workflow of each overdue message, because Temporal may have lost it. */
export const unansweredProcesses = reconcilable({
  name: 'unanswered authorizations',
  processes: [unanswered],
  overdue: overdueMessages,
  drive: startUnanswered,
});
