import type { Middleware } from 'koa';
import type { Database } from '../../kernel/db/database';
import type { PartyName } from '../../kernel/parties';
import type { Keyring } from '../../kernel/security/keyring';
import type { SandboxRates } from '../rates/sandbox/table';

/** The simulated outside parties: small HTTP applications with their own tables, reached as real parties are. */
export type SandboxParty = PartyName;

export interface PartyOptions {
  database: Database;
  now: () => Date;
  /** Where browsers reach the party, without a trailing slash. */
  publicUrl(): string;
  /** Seals data that the party must store and nobody may read. */
  keyring: Keyring;
  /** Seconds from an order to its decision where no magic value sets them. Absent: the party's own pace. */
  decisionSeconds?: number | undefined;
  /** How the rates move. Absent: they stand still. */
  rates?: SandboxRates | undefined;
}

/** Creates the application of a simulated party, which sees paths below its own address. */
export type CreateSandboxParty = (options: PartyOptions) => Middleware;
