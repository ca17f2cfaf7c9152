import type { Route } from '../../../http/route';
import type { PartyCallback } from '../../../parties/protocol/callback';
import { callbackRoute } from '../../../process/callbacks/routes';
import type { Services } from '../../../services';
import { lookAtCardholder } from '../workflows';
import { findSubmitted, REVIEW_CALLBACKS, submissionKey } from './party-orders';

/** Where the reviewer calls: its word is a nudge, the cardholder's workflow asks for the present state. */
export const reviewCallbackRoute = (services: Services): Route =>
  callbackRoute<PartyCallback>(services, {
    party: 'cardholder-review',
    path: REVIEW_CALLBACKS,
    verify: (raw, headers) => services.parties.cardholderReview.verify(raw, headers),
    async handle(tx, { ref }) {
      if (ref === null) return 'not_ours';
      const cardholder = await findSubmitted(tx, ref);
      if (!cardholder) return 'unknown';
      // The word on an earlier submission changes nothing.
      if (cardholder.status !== 'wait_audit' || submissionKey(cardholder) !== ref) return 'ended';
      services.commands.append(tx, [lookAtCardholder(cardholder)]);
      return 'told';
    },
  });
