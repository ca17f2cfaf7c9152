import type { Route } from '../../http/route';
import type { PartyCallback } from '../../parties/protocol/callback';
import { callbackRoute } from '../../process/callbacks/routes';
import type { Services } from '../../services';
import { PROCESSOR_CALLBACKS, tellProcessorOrders } from './processor-orders';

/** Where the card processor calls: its word is a nudge, the workflow of the order asks for the present state. */
export const processorCallbackRoute = (services: Services): Route =>
  callbackRoute<PartyCallback>(services, {
    party: 'card-processor',
    path: PROCESSOR_CALLBACKS,
    verify: (raw, headers) => services.parties.cardProcessor.verify(raw, headers),
    async handle(tx, { ref }) {
      if (ref === null) return 'not_ours';
      return (await tellProcessorOrders(services, tx, [ref], 'callback')) > 0 ? 'told' : 'unknown';
    },
  });
