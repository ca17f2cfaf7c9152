import type { Database } from '../../kernel/db/database';

/** What a party is given. */
export interface PartyOptions {
  database: Database;
  secret: Buffer;
  now(): Date;
  /** Where browsers reach the party, without a trailing slash. */
  publicUrl(): string;
}
