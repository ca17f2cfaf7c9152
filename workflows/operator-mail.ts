import type { DeskActivities } from '../activities/desk';
import { MAIL_QUEUE } from '../src/kernel/outbox/queues';
import { showTurn } from './support/status';
import { steps } from './support/steps';

/** A retry mails only operators who have no mail of this hour. The workflow gives up before the next run. */
const { mailWaitingToOperators } = steps<DeskActivities>(
  {
    taskQueue: MAIL_QUEUE,
    startToCloseTimeout: '5 minutes',
    scheduleToCloseTimeout: '50 minutes',
    retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
  },
  { mailWaitingToOperators: 'mail operators what waits for them' },
);

/** Mails operators who want it what waits for them. A schedule starts it once an hour. */
export async function operatorMail(): Promise<void> {
  const sent = await mailWaitingToOperators();
  showTurn(`${sent} mails are sent.`);
}
