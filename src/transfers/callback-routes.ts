import type { IncomingHttpHeaders } from 'node:http';
import type { Route } from '../http/route';
import type { CallingParty } from '../kernel/outbox/queues';
import type { PartyCallback } from '../parties/protocol/callback';
import { callbackRoute } from '../process/callbacks/routes';
import type { Services } from '../services';
import { CALLBACK_PATH } from './deposits/kind';
import { tellOf } from './discover';
import { EXCHANGE_CALLBACKS } from './exchange/party';
import { CALLBACK_PATH as EXTERNAL_CARDS_PATH } from './external-cards/kind';
import { CREDIT_CALLBACK_PATH } from './iban/credits/kind';
import { IBAN_PAYOUT_CALLBACKS } from './iban/payouts/kind';
import { PAYOUT_CALLBACKS } from './payouts/kind';

/** Where each party calls, and what it is called in the path. */
const CALLBACKS: { party: CallingParty; name: string; path: string }[] = [
  { party: 'checkout', name: 'checkout', path: CALLBACK_PATH },
  { party: 'payouts', name: 'payouts', path: PAYOUT_CALLBACKS },
  { party: 'payouts', name: 'iban-payouts', path: IBAN_PAYOUT_CALLBACKS },
  { party: 'externalCards', name: 'external-cards', path: EXTERNAL_CARDS_PATH },
  { party: 'bank', name: 'bank', path: CREDIT_CALLBACK_PATH },
  { party: 'exchange', name: 'exchange', path: EXCHANGE_CALLBACKS },
];

/**
 * Where the parties that move money call. Whatever they say, their word is a nudge: the transfer's workflow asks for the
 * present state. One that is left out has no place to call. A name that no transfer has (yet) gets a process of its own, so that no payment is lost.
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
          return (await tellOf(services, tx, party, [ref])) > 0 ? 'told' : 'unknown';
        },
      }),
  );
