import { Context } from '@temporalio/activity';
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
}

export function createCardEventActivities(services: Composed): CardEventActivities {
  return {
    settleUnanswered: (id) => settleUnanswered(services, id),
    expireDueAuthorizations: (after) =>
      expireAuthorizations(services, AT_ONCE, { after, alive: () => Context.current().heartbeat() }),
  };
}
