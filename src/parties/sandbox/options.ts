import type { Database } from '../../kernel/db/database';
import type { PartyName } from '../../kernel/parties';
import type { Keyring } from '../../kernel/security/keyring';
import type { SandboxRates } from '../rates/sandbox/table';

/** The simulated outside parties: small HTTP applications of their own, each with its own tables, reached as real ones. */
export type SandboxParty = PartyName;

/** What a sandbox party is given. */
export interface PartyOptions {
  database: Database;
  now: () => Date;
  /** Where browsers reach the party, without a trailing slash. */
  publicUrl(): string;
  /** Seals what the party must keep and nobody may read. */
  keyring: Keyring;
  /** From an order to its decision where no magic value says another; the party's own pace when absent. */
  decisionSeconds?: number | undefined;
  /** What the party of rates does: they stand still when nothing is said. */
  rates?: SandboxRates | undefined;
}
