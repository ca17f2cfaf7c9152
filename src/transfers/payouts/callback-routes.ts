import type { Route } from '../../http/route';
import type { Tx } from '../../kernel/db/database';
import { callbackRoute } from '../../process/callbacks/routes';
import type { Services } from '../../services';
import { PAYOUT_CALLBACKS, payoutOfKey } from './advance';
import { findPayout } from './store';
import { lookAtPayout } from './workflows';

/** Where the payouts party calls: its word is "look at this one", and nothing moves by it. */
export function payoutCallbackRoute(services: Services): Route {
  return callbackRoute(services, {
    party: 'payouts',
    path: PAYOUT_CALLBACKS,
    verify: (raw, headers) => services.parties.payouts.verify(raw, headers),
    handle: (tx, { key }) => tellLifecycle(services, tx, key),
  });
}

/** @returns the outcome, as a code */
async function tellLifecycle({ commands }: Services, tx: Tx, key: string): Promise<string> {
  const payout = await findPayout(tx, null, payoutOfKey(key) ?? '');
  if (!payout) return 'payout_unknown';
  await commands.append(tx, [lookAtPayout(payout)]);
  return 'told';
}
