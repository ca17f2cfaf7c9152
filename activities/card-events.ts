import { Context } from '@temporalio/activity';
import type { ChallengeStatus } from '../src/cards/challenges/record';
import { closeOverdue, sendCode } from '../src/cards/challenges/send';
import { type ExpiryPlace, type ExpiryResult, expireAuthorizations } from '../src/cards/events/expiry';
import { type Settled, settleUnanswered } from '../src/cards/processor/unanswered';
import type { Composed } from '../src/composition';

/** How many authorizations one activity looks at: some seconds of work, so that a worker can stop between two. */
const AT_ONCE = 500;

export interface CardEventActivities {
  /**
   * Cancels what due authorizations hold. Idempotent: what was cancelled is due no more.
   * @param after where the portion before has ended
   */
  expireDueAuthorizations(after: ExpiryPlace | null): Promise<ExpiryResult>;
  /** Makes the books say what the network was told of an authorization that we did not answer in time. Idempotent. */
  settleUnanswered(id: string): Promise<Settled | 'settled_before'>;
  /** Mails the code of that number, while it is the present one. Idempotent: each attempt sends the same mail. */
  sendChallengeCode(id: string, number: number): Promise<ChallengeStatus>;
  /** Writes down what time alone has made of a challenge. Idempotent. */
  closeOverdueChallenge(id: string): Promise<ChallengeStatus>;
}

export function createCardEventActivities(services: Composed): CardEventActivities {
  return {
    settleUnanswered: (id) => settleUnanswered(services, id),
    sendChallengeCode: (id, number) => sendCode(services, id, number),
    closeOverdueChallenge: (id) => closeOverdue(services, id),
    expireDueAuthorizations: (after) =>
      expireAuthorizations(services, AT_ONCE, { after, alive: () => Context.current().heartbeat() }),
  };
}
