import { Context } from '@temporalio/activity';
import type { ChallengeStatus } from '../src/cards/challenges/record';
import { closeOverdue, sendCode } from '../src/cards/challenges/send';
import { type ExpiryPlace, type ExpiryResult, expireAuthorizations } from '../src/cards/events/expiry';
import { type Settled, settleUnanswered } from '../src/cards/processor/unanswered';
import type { Composed } from '../src/composition';
import type { LOST } from '../src/process/lost-record';

/** Authorizations in one batch. A batch takes seconds, so that a worker can stop between two activities. */
const BATCH = 500;

export interface CardEventActivities {
  /**
   * Releases the holds of expired authorizations. Idempotent: a released authorization is no longer due.
   * @param after the last authorization of the previous batch; null for the first batch of a run
   */
  expireDueAuthorizations(after: ExpiryPlace | null): Promise<ExpiryResult>;
  /** Books an authorization that was declined to the network because our answer came too late. Idempotent. */
  settleUnanswered(id: string): Promise<Settled | 'settled_before'>;
  /** Mails a code unless a later one has replaced it. Idempotent: each attempt sends the same mail. */
  sendChallengeCode(id: string, number: number): Promise<ChallengeStatus | typeof LOST>;
  /** Records that a challenge has expired, if its time is over. Idempotent. */
  closeOverdueChallenge(id: string): Promise<ChallengeStatus>;
}

export function createCardEventActivities(services: Composed): CardEventActivities {
  return {
    settleUnanswered: (id) => settleUnanswered(services, id),
    sendChallengeCode: (id, number) => sendCode(services, id, number),
    closeOverdueChallenge: (id) => closeOverdue(services, id),
    expireDueAuthorizations: (after) =>
      expireAuthorizations(services, BATCH, { after, alive: () => Context.current().heartbeat() }),
  };
}
