import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import type { AnswerWithin } from '../cards/services';
import type { Config, DocumentsSettings } from '../kernel/config';
import type { Database } from '../kernel/db/database';
import type { SmtpSettings } from '../kernel/mail-settings';
import type { Observe } from '../kernel/metrics/metrics';
import type { Observers } from '../kernel/metrics/observers';
import type { Reading } from '../kernel/metrics/readings';
import type { HandOver } from '../kernel/outbox/commands';
import type { PartySettings } from '../kernel/party-settings';
import type { RateLimiter } from '../kernel/rate-limit';
import type { RatesSettings } from '../kernel/rates-settings';
import type { Readiness } from '../kernel/readiness';
import type { Keyring } from '../kernel/security/keyring';
import type { StripeSettings } from '../kernel/stripe-settings';
import type { FirstStep } from '../kernel/temporal/hand-over';
import type { Reconcilable } from '../kernel/temporal/reconciler';
import type { Parties } from '../parties/parties';
import type { Services } from '../services';

/** What the product is composed of: all that is started, or configured, before any domain. */
export interface Wiring {
  database: Database;
  keyring: Keyring;
  log: Logger;
  mode: 'sandbox' | 'live';
  /** A live network may name one node: for tests. */
  singleNodeForTests?: boolean;
  /** How long a network's authorization may take; less than its second when absent. */
  answerWithin?: AnswerWithin;
  /** Where committed workflow commands go at once; the relay takes what it drops. */
  handOver: HandOver;
  /** Whether the process is to be given work; whether Postgres answers when absent. */
  readiness?: () => Promise<Readiness>;
  /** In the place of those that would be reached: for tests. */
  parties?: Partial<Parties>;
  /** Where each is, or that it is left out; absent, the sandbox's own, which a live installation does not have. */
  partySettings?: PartySettings;
  /** Where documents are kept; for as long as the process lives when absent, which a live installation refuses. */
  documents?: DocumentsSettings;
  /** Given: payers of deposits are led there rather than to the sandbox's checkout. */
  stripe?: StripeSettings | undefined;
  /** Given: rates come from there rather than from the party. */
  ratesSource?: RatesSettings | undefined;
  /** The mail server; a live installation without one makes no challenges of 3-D Secure. */
  smtp?: SmtpSettings | undefined;
  /** What the sandbox's reviewer of cardholders takes for a decision. */
  cardholderReviewSeconds?: number | undefined;
  /** What the sandbox's card processor takes for one. */
  cardProcessorSeconds?: number | undefined;
  /** What the sandbox's rates do: they stand still when nothing is said. */
  sandboxRates?: Config['sandboxRates'];
  /** What a difference from the exchange's balance may last; an hour when absent. */
  settlementDifferenceSeconds?: number | undefined;
  /** What an order may wait for its settlement; three days when absent. */
  settlementWaitSeconds?: number | undefined;
  /** How long the card processor may leave an issuance or a closure open; a day when absent. */
  cardOrderWaitSeconds?: number | undefined;
  /** What a wallet rests between two payers; a day when absent. */
  walletQuarantineSeconds?: number | undefined;
  /** Asked when it is needed: the port may be chosen only when the API listens. */
  publicUrl?: () => string;
  /** Where the sandbox parties are served, without a trailing slash; where the API is when absent. */
  sandboxPartiesUrl?: () => string;
  /** Who counts what happens; nobody when absent. */
  observers?: Partial<Observers>;
  now?: () => Date;
}

export interface ApiOptions {
  observe: Observe;
  /** For the documentation; where it was read from when absent. */
  publicUrl?: string | undefined;
  /** The rate limit of tenants; one for this process alone when absent. */
  spend?: RateLimiter;
}

/** The product as startup/ runs it, which knows no domain. */
export interface Composition {
  services: Services;
  api(options: ApiOptions): RequestListener;
  activities: object;
  reconcilables: Reconcilable[];
  /** What metrics read from the database. */
  readings: Reading[];
  firstStep: FirstStep;
  /** Ends what the API has begun beside its requests. */
  stop(): Promise<void>;
}

export type Compose = (wiring: Wiring) => Composition;
