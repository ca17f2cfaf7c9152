import type { Logger } from 'pino';
import type { Database } from './kernel/db/database';
import type { Observers } from './kernel/metrics/observers';
import type { Commands } from './kernel/outbox/commands';
import type { MoneyParty } from './kernel/outbox/queues';
import type { Readiness } from './kernel/readiness';
import type { Keyring } from './kernel/security/keyring';
import type { Parties } from './parties/parties';
import type { Switches } from './process/switches/switches';

/** What every domain is given: the kernel and the ports. Composed once a process; tests compose their own. */
export interface Services extends Observers {
  database: Database;
  keyring: Keyring;
  commands: Commands;
  parties: Parties;
  /** What is left out or switched off. */
  switches: Switches;
  log: Logger;
  mode: 'sandbox' | 'live';
  /** A network that is enabled names nodes of so many different hosts. */
  leastNodeHosts: number;
  /** Where clients, payers' browsers and parties reach the API, without a trailing slash. */
  publicUrl(): string;
  /** Whether the process is to be given work. */
  readiness(): Promise<Readiness>;
  /** Whether what a party lists of what has changed is read: else it is asked for each transfer. */
  isListRead(party: MoneyParty): Promise<boolean>;
  /** So long the exchange's balance may differ from our books before a person is shown. */
  settlementDifferenceSeconds: number;
  /** So long an order may wait for its settlement before a person is shown. */
  settlementWaitSeconds: number;
  /** How long the card processor may leave an issuance or a closure open before a person is shown. */
  cardOrderWaitSeconds: number;
  /** So long a wallet rests after a payer, before another gets it. */
  walletQuarantineSeconds: number;
  now(): Date;
}
