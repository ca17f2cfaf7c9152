import { escapeLiteral as literal, escapeIdentifier as name } from 'pg';

/** Longest run time of a statement. */
export const STATEMENT_SECONDS = 20;
/** Longest wait of a statement for a lock. */
const LOCK_SECONDS = 10;

/**
 * Settings of each session of the product. A direct connection sets them at its start. PgBouncer in transaction mode
 * admits none of them there, so `migrate` also gives them to the runtime role.
 */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  // Every lookup has an index. A plan that was cached while a table was small must not go on scanning the table after
  // it has grown. Statements without an index, such as proofs over all entries, scan in any case.
  enable_seqscan: 'off',
  timezone: 'UTC',
  // A statement may wait for a lock, but no longer than a proxy waits for its answer.
  statement_timeout: `${STATEMENT_SECONDS}s`,
  lock_timeout: `${LOCK_SECONDS}s`,
  idle_in_transaction_session_timeout: '30s',
};

/** The option of a connection's start that sets them. */
export const STARTUP_OPTIONS = Object.entries(SESSION_SETTINGS)
  .map(([setting, value]) => `-c ${setting}=${value}`)
  .join(' ');

/**
 * Whether an address leads to PgBouncer in transaction mode, which gives each transaction another session:
 * `postgres://…?pgbouncer=true`. Statements are then sent without a name, because the next session does not know it.
 */
export const isPooled = (url: string): boolean => URL.parse(url)?.searchParams.get('pgbouncer') === 'true';

/** Statements that give the settings to a role of a database. */
export const roleSettings = (role: string, database: string): string[] =>
  Object.entries(SESSION_SETTINGS).map(
    ([setting, value]) =>
      `alter role ${name(role)} in database ${name(database)} set ${setting} = ${literal(value)}`,
  );
