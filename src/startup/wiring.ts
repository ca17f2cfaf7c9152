import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import type { AnswerWithin } from '../cards/services';
import type { Config, DeskSignIn, DocumentsSettings } from '../kernel/config/config';
import type { OutsideSettings } from '../kernel/config/outside';
import type { PartySettings } from '../kernel/config/parties';
import type { Database } from '../kernel/db/database';
import type { Sign } from '../kernel/db/lookout';
import type { Observe } from '../kernel/metrics/metrics';
import type { Observers } from '../kernel/metrics/observers';
import type { Reading } from '../kernel/metrics/readings';
import type { HandOver } from '../kernel/outbox/commands';
import type { RateLimiter } from '../kernel/rate-limit';
import type { Readiness } from '../kernel/readiness';
import type { AddressList } from '../kernel/security/address-lists';
import type { Keyring } from '../kernel/security/keyring';
import type { FirstStep } from '../kernel/temporal/hand-over';
import type { Reconcilable } from '../kernel/temporal/reconciler';
import type { Parties } from '../parties/parties';
import type { Services } from '../services';

/** Parts that are started or configured before any domain. */
export interface Wiring extends Partial<OutsideSettings> {
  database: Database;
  keyring: Keyring;
  log: Logger;
  mode: 'sandbox' | 'live';
  /** For tests: a live network may have a single node. */
  singleNodeForTests?: boolean;
  /** Time limit of a card network's authorization. Default: less than a second. */
  answerWithin?: AnswerWithin;
  /** Sends committed workflow commands at once. The relay sends those that it drops. */
  handOver: HandOver;
  /** Default: whether Postgres answers. */
  readiness?: () => Promise<Readiness>;
  /** For tests: replaces parties. */
  parties?: Partial<Parties>;
  /** Address of each party, or that it is left out. Default: the sandbox's parties, which live mode does not have. */
  partySettings?: PartySettings;
  /** Storage of documents. Default: in memory, which live mode refuses. */
  documents?: DocumentsSettings;
  /** Seconds until the sandbox's cardholder reviewer decides. */
  cardholderReviewSeconds?: number | undefined;
  /** Seconds until the sandbox's card processor decides. */
  cardProcessorSeconds?: number | undefined;
  /** Default: still. */
  sandboxRates?: Config['sandboxRates'];
  /** Seconds that a difference from the exchange's balance may last. Default: an hour. */
  settlementDifferenceSeconds?: number | undefined;
  /** Seconds that an order may wait for its settlement. Default: three days. */
  settlementWaitSeconds?: number | undefined;
  /** Seconds that the card processor may leave an issuance or closure open. Default: a day. */
  cardOrderWaitSeconds?: number | undefined;
  /** Cooldown of a wallet between two allocations. Default: a day. */
  walletQuarantineSeconds?: number | undefined;
  /** Days that events for webhooks are kept. Default: 90. */
  eventsKeptDays?: number | undefined;
  /** Called when it is needed, because the port may be chosen only when the API listens. */
  publicUrl?: () => string;
  /** Base URL of the sandbox's parties, without a trailing slash. Default: that of the API. */
  sandboxPartiesUrl?: () => string;
  /** Counters of events. Default: none. */
  observers?: Partial<Observers>;
  /** The machine's time. Tests pass a clock of their own. */
  now?: () => Date;
  /** Runs the schedules and moves the local chain after the sandbox's clock was advanced. */
  onClockAdvanced?: () => Promise<void>;
}

export interface ApiOptions {
  observe: Observe;
  /** Proxies whose `X-Forwarded-For` is believed. Default: none. */
  trustedProxies?: AddressList | undefined;
  /** For the documentation. Default: the place that it was read from. */
  publicUrl?: string | undefined;
  /** Rate limiter of tenants. Default: one for this process alone. */
  spend?: RateLimiter;
}

export interface DeskOptions {
  observe: Observe;
  /** Proxies whose `X-Forwarded-For` is believed. Default: none. */
  trustedProxies?: AddressList | undefined;
  /** URL of a workflow in Temporal's UI. Default: none. */
  workflowUrl?: (workflowId: string) => string | null;
  /** Address of Temporal's UI, whose pages may have payloads opened. Default: none. */
  temporalUi?: string | undefined;
  /** The machine's time, for tests. */
  clock?: () => Date;
  /** Rate limiter of operators. Default: one for this process alone. */
  spend?: RateLimiter;
  /** Rest of sessions and lock of names. Default: rest of 30 minutes, no lock. */
  signInRules?: DeskSignIn;
}

/** The product as startup/ runs it, without knowledge of domains. */
export interface Composition {
  services: Services;
  api(options: ApiOptions): RequestListener;
  /** What operators look at and decide. */
  desk(options: DeskOptions): RequestListener;
  activities: object;
  /** Delivers webhooks without workflows while Temporal is away. */
  standIn(): { stop(): Promise<void> };
  reconcilables: Reconcilable[];
  /** Metrics that are read from the database. */
  readings: Reading[];
  firstStep: FirstStep;
  /** Schedules that run when there is something to do, by id. */
  dueSchedules: Readonly<Record<string, Sign>>;
  /** Ends background work of the API. */
  stop(): Promise<void>;
}

export type Compose = (wiring: Wiring) => Composition;
