import { bankProtocol } from './bank/protocol';
import { cardProcessorProtocol } from './card-processor/protocol';
import { cardholderReviewProtocol } from './cardholder-review/protocol';
import { checkoutProtocol } from './checkout/protocol';
import { exchangeProtocol } from './exchange/protocol';
import { externalCardsProtocol } from './external-cards/protocol';
import { payoutsProtocol } from './payouts/protocol';
import type { PartyProtocol } from './protocol/description';
import { ratesProtocol } from './rates/protocol';

/** Every party that speaks our protocol, for documents and checks. */
export const PARTY_PROTOCOLS: readonly PartyProtocol[] = [
  checkoutProtocol,
  payoutsProtocol,
  externalCardsProtocol,
  bankProtocol,
  exchangeProtocol,
  cardProcessorProtocol,
  cardholderReviewProtocol,
  ratesProtocol,
];
