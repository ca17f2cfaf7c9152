import { ActivityFailure } from '@temporalio/common';
import type { CardEventActivities } from '../activities/card-events';
import { MAIL_QUEUE } from '../src/kernel/outbox/queues';
import { showing } from './support/status';
import { steps } from './support/steps';

/** The payer waits, so the intervals are short. The activity itself ends a challenge after its first minute. */
const { sendChallengeCode } = steps<Pick<CardEventActivities, 'sendChallengeCode'>>(
  {
    taskQueue: MAIL_QUEUE,
    startToCloseTimeout: '30 seconds',
    scheduleToCloseTimeout: '90 seconds',
    retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '5 seconds' },
  },
  { sendChallengeCode: (id, number) => `mail code ${number} of ${id} to the cardholder` },
);

/** A single transaction, retried until the database accepts it. */
const { closeOverdueChallenge } = steps<Pick<CardEventActivities, 'closeOverdueChallenge'>>(
  {
    startToCloseTimeout: '1 minute',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  },
  { closeOverdueChallenge: (id) => `record that ${id} has expired, because its code was not mailed in time` },
);

/**
 * Mails a one-time code of a challenge (`challenge-code-<id>-<number>`). A resend creates the next code with a workflow
 * of its own.
 * @returns the status of the challenge
 */
export async function challengeCode(id: string, number: number): Promise<string> {
  const show = showing(id);
  show.status('sending', 'Sending the one-time code by mail.');
  const status = await send(id, number);
  show.status(status, `Code ${number}: nothing is left to do.`);
  return status;
}

async function send(id: string, number: number): Promise<string> {
  try {
    return await sendChallengeCode(id, number);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return closeOverdueChallenge(id);
  }
}
