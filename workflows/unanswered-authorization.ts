import type { CardEventActivities } from '../activities/card-events';
import { showing } from './support/status';
import { steps } from './support/steps';

/** A single transaction, retried while the authorization is still being judged or no rate is known. */
const { settleUnanswered } = steps<Pick<CardEventActivities, 'settleUnanswered'>>(
  {
    startToCloseTimeout: '1 minute',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  },
  { settleUnanswered: (id) => `release what ${id} holds, because the network has declined it` },
);

const ENDED: Record<string, string> = {
  released: 'What it held is released.',
  approved_before: 'It had been approved before: that stays held, and a person is shown.',
};

/**
 * Settles an authorization that was declined to the network because our answer came too late
 * (`unanswered-authorization-<id>`). Releases its hold, or records the decline if nothing is held.
 */
export async function unansweredAuthorization(id: string): Promise<string> {
  const show = showing(id);
  show.status('declined', 'Finding out what the authorization holds.');
  const settled = await settleUnanswered(id);
  show.status('declined', ENDED[settled] ?? 'It holds nothing.');
  return settled;
}
