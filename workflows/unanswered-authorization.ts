import { proxyActivities } from '@temporalio/workflow';
import type { CardEventActivities } from '../activities/card-events';
import { showStatus } from './support/status';

/** One transaction. It is tried while the authorization is being judged, while no rate is known, and until it is done. */
const { settleUnanswered } = proxyActivities<CardEventActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

const ENDED: Record<string, string> = {
  released: 'What it held is released.',
  approved_before: 'It had been approved before: that stays held, and a person is shown.',
};

/**
 * Releases what an authorization holds that was declined to the network because no answer was there in time
 * (`unanswered-authorization-<id>`), or records the decline.
 */
export async function unansweredAuthorization(id: string): Promise<string> {
  showStatus('declined', 'Finding out what the authorization holds.');
  const settled = await settleUnanswered(id);
  showStatus('declined', ENDED[settled] ?? 'It holds nothing.');
  return settled;
}
