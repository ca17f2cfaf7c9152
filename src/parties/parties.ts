import type { Bank } from './bank/port';
import type { CardProcessor } from './card-processor/port';
import type { CardholderReview } from './cardholder-review/port';
import type { ChainParty } from './chain/port';
import type { CheckoutParty } from './checkout/port';
import type { Documents } from './documents/port';
import type { ExchangeParty } from './exchange/port';
import type { ExternalCards } from './external-cards/port';
import type { Mailer } from './mail/port';
import type { PayoutParty } from './payouts/port';
import type { RefreshedRates } from './rates/port';
import type { Signer } from './signer/port';

/** The outside parties, each behind its port. */
export interface Parties {
  cardProcessor: CardProcessor;
  cardholderReview: CardholderReview;
  rates: RefreshedRates;
  documents: Documents;
  checkout: CheckoutParty;
  payouts: PayoutParty;
  externalCards: ExternalCards;
  /** Holds the money behind the virtual IBANs. */
  bank: Bank;
  exchange: ExchangeParty;
  /** Delivers mail to cardholders. */
  mail: Mailer;
  /** The chains, each by the nodes of its network. */
  chain: ChainParty;
  /** Holds the keys of our wallets. */
  signer: Signer;
}
