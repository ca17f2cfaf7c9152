import { PARTIES, type Party } from '../kernel/parties';
import { bankParty } from './bank/definition';
import { cardProcessorParty } from './card-processor/definition';
import { cardholderReviewParty } from './cardholder-review/definition';
import { checkoutParty } from './checkout/definition';
import type { PartyDefinition } from './define';
import { exchangeParty } from './exchange/definition';
import { externalCardsParty } from './external-cards/definition';
import { payoutsParty } from './payouts/definition';
import type { PartyProtocol } from './protocol/description';
import { ratesParty } from './rates/definition';
import { screeningParty } from './screening/definition';

/** Every party that speaks our protocol. */
export const PARTY_DEFINITIONS = {
  cardProcessor: cardProcessorParty,
  cardholderReview: cardholderReviewParty,
  checkout: checkoutParty,
  payouts: payoutsParty,
  externalCards: externalCardsParty,
  bank: bankParty,
  exchange: exchangeParty,
  rates: ratesParty,
  screening: screeningParty,
} as const satisfies Record<Party, PartyDefinition<object>>;

export const PARTY_PROTOCOLS: readonly PartyProtocol[] = PARTIES.map(
  (party) => PARTY_DEFINITIONS[party].protocol,
);
