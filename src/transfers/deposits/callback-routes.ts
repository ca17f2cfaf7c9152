import type { Route } from '../../http/route';
import { callbackRoute } from '../../process/callbacks/routes';
import type { Services } from '../../services';
import { CALLBACK_PATH } from './page/session';
import { findBySession } from './store';
import { lookAtDeposit, matchPayment } from './workflows';

/**
 * Where the checkout party calls. Whatever it says, its word is a nudge: the deposit's workflow asks it for the present
 * state. A session that no deposit has (yet) gets a process of its own, so that no payment is lost.
 */
export function checkoutCallbackRoute(services: Services): Route {
  return callbackRoute(services, {
    party: 'checkout',
    path: CALLBACK_PATH,
    verify: (raw, headers) => services.parties.checkout.verify(raw, headers),
    async handle(tx, { sessionId }) {
      if (sessionId === null) return 'not_ours';
      const deposit = await findBySession(tx, sessionId);
      await services.commands.append(tx, [deposit ? lookAtDeposit(deposit) : matchPayment(sessionId)]);
      return deposit ? 'told' : 'unknown_session';
    },
  });
}
