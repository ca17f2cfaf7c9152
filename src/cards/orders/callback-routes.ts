import type { Route } from '../../http/route';
import type { PartyCallback } from '../../parties/protocol/callback';
import { callbackRoute } from '../../process/callbacks/routes';
import type { Services } from '../../services';
import { processorOrders } from './orders';
import { PROCESSOR } from './processor';

/**
 * Receives callbacks of the card processor. A callback only wakes the order's workflow, which then asks for the present
 * state.
 */
export const processorCallbackRoute = (services: Services): Route =>
  callbackRoute<PartyCallback>(services, {
    party: 'card-processor',
    path: PROCESSOR.callbacks,
    verify: (raw, headers) => services.parties.cardProcessor.verify(raw, headers),
    handle: (tx, callback) => processorOrders.called(services, tx, callback),
  });
