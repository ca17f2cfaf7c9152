/** The database cannot be reached or gave up, and nothing was recorded. Answered with 503 `unavailable`. */
export class DatabaseAway extends Error {
  override name = 'DatabaseAway';
  constructor(cause: unknown) {
    super('the database cannot be reached', { cause });
  }
}

/**
 * The connection broke during the commit. Answered with 503 `outcome_unknown`, unless an idempotency key settles the
 * outcome.
 */
export class CommitUnknown extends Error {
  override name = 'CommitUnknown';
  constructor(cause: unknown) {
    super('the connection broke during a commit', { cause });
  }
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const ABORTED = '25P02';
const UNIQUE_VIOLATION = '23505';
const LOCK_TIMEOUT = '55P03';
const STATEMENT_TIMEOUT = '57014';
/** Shutdown by an administrator, crash, start-up, broken connections. */
const GONE = /^(57P0[123]|25P03|08...)$/;
/**
 * No room on the disk, no memory, too many connections, a disk that fails; read-only standby, lock and statement time-outs. The server still
 * serves the connection. The transaction is over and not committed.
 */
const REFUSED = new RegExp(`^(53...|58...|25006|${LOCK_TIMEOUT}|${STATEMENT_TIMEOUT})$`);

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** The statement was refused because an earlier statement of its transaction failed. */
export const isAborted = (error: unknown): boolean => codeOf(error) === ABORTED;

/** A deadlock or serialization failure. The transaction was rolled back and can be repeated. */
export function isConflict(error: unknown): boolean {
  return codeOf(error) === SERIALIZATION_FAILURE || codeOf(error) === DEADLOCK;
}

/** Whether the database, and not the statement, is at fault. */
export function isAway(error: unknown): boolean {
  if (error instanceof DatabaseAway || error instanceof CommitUnknown) return true;
  const code = codeOf(error);
  if (GONE.test(code) || REFUSED.test(code)) return true;
  if (/^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_)/.test(code)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|connection error|timeout exceeded|read timeout|not queryable/i.test(error.message)
  );
}

/** Another transaction held a lock for longer than the lock timeout. */
export const isLockTimeout = (error: unknown): boolean =>
  codeOf(error instanceof DatabaseAway ? error.cause : error) === LOCK_TIMEOUT;

/** Whether the connection is lost. False when a server that still answers gave a statement up. */
export function isBroken(error: unknown): boolean {
  return isAway(error) && !REFUSED.test(codeOf(error));
}

/**
 * Whether a record with this idempotency key exists already. Last guard against a repeat whose stored answer is gone.
 */
export function isKeyTaken(error: unknown): boolean {
  return codeOf(error) === UNIQUE_VIOLATION && constraintOf(error).endsWith('_idempotency_key');
}

function constraintOf(error: unknown): string {
  return (error as { constraint?: string } | null)?.constraint ?? '';
}

/**
 * Whether the database cannot be reached, so that further attempts would fail as well. A single statement that timed
 * out or conflicted says little about the others.
 */
export function isOutOfReach(error: unknown): boolean {
  return isBroken(error instanceof DatabaseAway ? error.cause : error);
}

/** Whether the error is a duplicate, optionally of one constraint or unique index. */
export function isDuplicate(error: unknown, constraint?: string): boolean {
  if (codeOf(error) !== UNIQUE_VIOLATION) return false;
  return constraint === undefined || constraintOf(error) === constraint;
}
