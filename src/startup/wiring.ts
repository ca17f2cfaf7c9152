import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import type { DocumentsSettings, StripeSettings } from '../kernel/config';
import type { Database } from '../kernel/db/database';
import type { Observe } from '../kernel/metrics/metrics';
import type { HandOver } from '../kernel/outbox/commands';
import type { Keyring } from '../kernel/security/keyring';
import type { FirstStep } from '../kernel/temporal/hand-over';
import type { Reconcilable } from '../kernel/temporal/reconciler';
import type { Parties, Services } from '../services';

/** What the product is composed of: all that is started, or configured, before any domain. */
export interface Wiring {
  database: Database;
  keyring: Keyring;
  log: Logger;
  mode: 'sandbox' | 'live';
  /** Where committed workflow commands go at once; the relay takes what it drops. */
  handOver: HandOver;
  /** Whether Temporal answers; absent where there is none. */
  temporalIsServing?: () => Promise<boolean>;
  /** The sandbox's when absent: a live installation must give its own. */
  parties?: Partial<Parties>;
  /** Where documents are kept; for as long as the process lives when absent, which a live installation refuses. */
  documents?: DocumentsSettings;
  /** Given: payers of deposits are led there rather than to the sandbox's checkout. */
  stripe?: StripeSettings | undefined;
  /** What the sandbox's reviewer of cardholders takes for a decision. */
  cardholderReviewSeconds?: number | undefined;
  /** Asked when it is needed: the port may be chosen only when the API listens. */
  publicUrl?: () => string;
  /** Where the sandbox parties are served, without a trailing slash; where the API is when absent. */
  sandboxPartiesUrl?: () => string;
  observeForged?: (party: string) => void;
  observeUnreadableList?: (party: string) => void;
  now?: () => Date;
}

export interface ApiOptions {
  observe: Observe;
  /** For the documentation; where it was read from when absent. */
  publicUrl?: string | undefined;
}

/** The product as startup/ runs it, which knows no domain. */
export interface Composition {
  services: Services;
  api(options: ApiOptions): RequestListener;
  activities: object;
  reconcilables: Reconcilable[];
  firstStep: FirstStep;
  /** Ends what the API has begun beside its requests. */
  stop(): Promise<void>;
}

export type Compose = (wiring: Wiring) => Composition;
