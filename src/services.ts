import type { Logger } from 'pino';
import type { IbanRange } from './kernel/config/virtual-ibans';
import type { Database } from './kernel/db/database';
import type { Observers } from './kernel/metrics/observers';
import type { Commands } from './kernel/outbox/commands';
import type { MoneyParty } from './kernel/outbox/queues';
import type { ProductClock } from './kernel/product-clock';
import type { Readiness } from './kernel/readiness';
import type { Keyring } from './kernel/security/keyring';
import type { Parties } from './parties/parties';
import type { Switches } from './process/switches/switches';

/** The services of every domain: the kernel and the ports. Composed once in each process, and in tests. */
export interface Services extends Observers {
  database: Database;
  keyring: Keyring;
  commands: Commands;
  parties: Parties;
  /** The parties and capabilities that are left out or switched off. */
  switches: Switches;
  log: Logger;
  mode: 'sandbox' | 'live';
  /** An enabled network must name nodes on at least this number of hosts. */
  leastNodeHosts: number;
  /** The range that new virtual IBANs are taken from. Absent: no bank has given one. */
  ibanRange: IbanRange | undefined;
  /** Where clients, payers' browsers and parties reach the API, without a trailing slash. */
  publicUrl(): string;
  /** Whether the process should receive work. */
  readiness(): Promise<Readiness>;
  /** Whether the party's list of changes is being read. Otherwise each transfer asks the party. */
  isListRead(party: MoneyParty): Promise<boolean>;
  /** How long the exchange's balance may differ from our books before a person is told. */
  settlementDifferenceSeconds: number;
  /** How long an order may wait for its settlement before a person is told. */
  settlementWaitSeconds: number;
  /** How long the card processor may leave an issuance or a closure open before a person is told. */
  cardOrderWaitSeconds: number;
  /** Cooldown of a wallet between two payers. A late payment of the first payer is then not credited to the second. */
  walletQuarantineSeconds: number;
  /** Days that events for webhooks are kept. */
  eventsKeptDays: number;
  /** The product's time. */
  now(): Date;
  productClock: ProductClock;
}
