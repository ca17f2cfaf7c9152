import type { Route } from '../../../http/route';
import type { PartyCallback } from '../../../parties/protocol/callback';
import { callbackRoute } from '../../../process/callbacks/routes';
import type { Services } from '../../../services';
import { reviewOrders, submissionOrder } from './submission';

/**
 * Receives callbacks of the reviewer. A callback only wakes the cardholder's workflow, which then asks for the present
 * state.
 */
export const reviewCallbackRoute = (services: Services): Route =>
  callbackRoute<PartyCallback>(services, {
    party: 'cardholder-review',
    path: submissionOrder.callbacks,
    verify: (raw, headers) => services.parties.cardholderReview.verify(raw, headers),
    handle: (tx, callback) => reviewOrders.called(services, tx, callback),
  });
