import type { Database } from '../../kernel/db/database';

/** What a sandbox party is given. */
export interface PartyOptions {
  database: Database;
  /** Shared with the adapter: it signs callbacks, and vouches for requests. */
  secret: Buffer;
  now: () => Date;
  /** Where browsers reach the party, without a trailing slash. */
  publicUrl(): string;
}
