import type { Route } from '../http/route';
import type { PartyCallback } from '../parties/protocol/callback';
import { callbackRoute } from '../process/callbacks/routes';
import type { Services } from '../services';
import { receiveScreenings } from './screened';
import { SCREENING_CALLBACKS } from './screening/record';

/** Receives callbacks of the screening party. A callback only wakes the transfer, which then asks for the result. */
export const screeningCallbackRoute = (services: Services): Route =>
  callbackRoute<PartyCallback>(services, {
    party: 'screening',
    path: SCREENING_CALLBACKS,
    verify: (raw, headers) => services.parties.screening.verify(raw, headers),
    async handle(tx, { ref }) {
      if (ref === null) return 'not_ours';
      return (await receiveScreenings(services, tx, [ref])) > 0 ? 'told' : 'unknown';
    },
  });
