import type { IncomingHttpHeaders } from 'node:http';
import type { Route } from '../http/route';
import type { CallingParty } from '../kernel/parties';
import type { PartyCallback } from '../parties/protocol/callback';
import { callbackRoute } from '../process/callbacks/routes';
import type { Services } from '../services';
import { CALLBACK_PATH } from './deposits/kind';
import { receiveReport } from './discover';
import { EXCHANGE_CALLBACKS } from './exchange/party';
import { CALLBACK_PATH as EXTERNAL_CARDS_PATH } from './external-cards/kind';
import { CREDIT_CALLBACK_PATH } from './iban/credits/kind';
import { IBAN_PAYOUT_CALLBACKS } from './iban/payouts/kind';
import { PAYOUT_CALLBACKS } from './payouts/kind';

/** The callback path of each party that moves money. */
export const CALLBACKS: { party: CallingParty; name: string; path: string }[] = [
  { party: 'checkout', name: 'checkout', path: CALLBACK_PATH },
  { party: 'payouts', name: 'payouts', path: PAYOUT_CALLBACKS },
  { party: 'payouts', name: 'iban-payouts', path: IBAN_PAYOUT_CALLBACKS },
  { party: 'externalCards', name: 'external-cards', path: EXTERNAL_CARDS_PATH },
  { party: 'bank', name: 'bank', path: CREDIT_CALLBACK_PATH },
  { party: 'exchange', name: 'exchange', path: EXCHANGE_CALLBACKS },
];

/**
 * Routes for the callbacks of parties that move money. A callback only signals: the transfer's workflow then asks for
 * the present state.
 *
 * A party that is left out of the installation has no route. A name without a transfer starts a lookup, so that no
 * payment is lost.
 */
export const partyCallbackRoutes = (services: Services): Route[] =>
  CALLBACKS.filter(({ party }) => services.switches.partyAtOnce(party) !== 'left_out').map(
    ({ party, name, path }) =>
      callbackRoute(services, {
        party: name,
        path,
        verify: (raw: Buffer, headers: IncomingHttpHeaders) => services.parties[party].verify(raw, headers),
        async handle(tx, { ref }: PartyCallback) {
          if (ref === null) return 'not_ours';
          return (await receiveReport(services, tx, party, [ref])) > 0 ? 'told' : 'unknown';
        },
      }),
  );
