import type { Route } from '../../../http/route';
import type { PartyCallback } from '../../../parties/protocol/callback';
import { callbackRoute } from '../../../process/callbacks/routes';
import type { Services } from '../../../services';
import { REVIEW_CALLBACKS, tellSubmissions } from './party-orders';

/** Where the reviewer calls: its word is a nudge, the cardholder's workflow asks for the present state. */
export const reviewCallbackRoute = (services: Services): Route =>
  callbackRoute<PartyCallback>(services, {
    party: 'cardholder-review',
    path: REVIEW_CALLBACKS,
    verify: (raw, headers) => services.parties.cardholderReview.verify(raw, headers),
    async handle(tx, { ref }) {
      if (ref === null) return 'not_ours';
      const [outcome = 'unknown'] = await tellSubmissions(services, tx, [ref]);
      return outcome;
    },
  });
