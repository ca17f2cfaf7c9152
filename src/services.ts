import type { Logger } from 'pino';
import type { Database } from './kernel/db/database';
import type { Commands } from './kernel/outbox/commands';
import type { MoneyParty } from './kernel/outbox/queues';
import type { Readiness } from './kernel/readiness';
import type { Keyring } from './kernel/security/keyring';
import type { Bank } from './parties/bank/port';
import type { CardProcessor } from './parties/card-processor/port';
import type { CardholderReview } from './parties/cardholder-review/port';
import type { CheckoutParty } from './parties/checkout/port';
import type { Documents } from './parties/documents/port';
import type { ExternalCards } from './parties/external-cards/port';
import type { PayoutParty } from './parties/payouts/port';
import type { Rates } from './parties/rates/port';

/** The outside parties, each behind its port. */
export interface Parties {
  cardProcessor: CardProcessor;
  cardholderReview: CardholderReview;
  rates: Rates;
  documents: Documents;
  checkout: CheckoutParty;
  payouts: PayoutParty;
  externalCards: ExternalCards;
  /** That keeps the money behind the virtual IBANs. */
  bank: Bank;
}

/** What every domain is given: the kernel and the ports. Composed once a process; tests compose their own. */
export interface Services {
  database: Database;
  keyring: Keyring;
  commands: Commands;
  parties: Parties;
  log: Logger;
  mode: 'sandbox' | 'live';
  /** Where clients, payers' browsers and parties reach the API, without a trailing slash. */
  publicUrl(): string;
  /** Whether Postgres and Temporal answer. */
  readiness(): Promise<Readiness>;
  /** Called for each callback of a party that could not be verified. */
  observeForged(party: string): void;
  /** Called for each reading of a party's list of changes that failed. */
  observeUnreadableList(party: string): void;
  /** Whether what a party lists of what has changed is read: else it is asked for each transfer. */
  isListRead(party: MoneyParty): Promise<boolean>;
  now(): Date;
}
