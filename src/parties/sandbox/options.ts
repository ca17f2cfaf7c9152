import type { Database } from '../../kernel/db/database';

/** The simulated outside parties: small HTTP applications of their own, each with its own tables, reached as real ones. */
export type SandboxParty = 'checkout' | 'payouts' | 'external-cards' | 'bank';

/** What a sandbox party is given. */
export interface PartyOptions {
  database: Database;
  now: () => Date;
  /** Where browsers reach the party, without a trailing slash. */
  publicUrl(): string;
}
