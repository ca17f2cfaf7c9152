import type { Logger } from 'pino';
import type { Database } from './db/database';
import type { Commands } from './outbox/commands';
import type { Bank } from './providers/bank/port';
import type { CardProcessor } from './providers/card-processor/port';
import type { CardholderReview } from './providers/cardholder-review/port';
import type { CheckoutProvider } from './providers/checkout/port';
import type { Documents } from './providers/documents/port';
import type { ExternalCards } from './providers/external-cards/port';
import type { PayoutProvider } from './providers/payouts/port';
import type { Rates } from './providers/rates/port';
import type { Readiness } from './readiness';
import type { Keyring } from './security/keyring';

/** The outside parties, each behind its port. */
export interface Providers {
  cardProcessor: CardProcessor;
  cardholderReview: CardholderReview;
  rates: Rates;
  documents: Documents;
  checkout: CheckoutProvider;
  payouts: PayoutProvider;
  externalCards: ExternalCards;
  /** That keeps the money behind the virtual IBANs. */
  bank: Bank;
}

/** What every domain is given: the kernel and the ports. Composed once a process; tests compose their own. */
export interface Services {
  database: Database;
  keyring: Keyring;
  commands: Commands;
  providers: Providers;
  log: Logger;
  mode: 'sandbox' | 'live';
  /** Where clients, payers' browsers and providers reach the API, without a trailing slash. */
  publicUrl(): string;
  /** Whether Postgres and Temporal answer. */
  readiness(): Promise<Readiness>;
  /** Called for each callback of a party that could not be verified. */
  observeForged(party: string): void;
  now(): Date;
}
