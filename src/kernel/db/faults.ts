/** The database cannot be reached, or gave up: nothing was recorded. Answered with 503 `unavailable`. */
export class DatabaseAway extends Error {
  override name = 'DatabaseAway';
  constructor(cause: unknown) {
    super('the database cannot be reached', { cause });
  }
}

/** The connection broke while the commit was under way. Answered with 503 `outcome_unknown` if no key settles it. */
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
/** Administrator's shutdown, crash, starting up, too many connections, read-only standby, lock and statement timeouts. */
const AWAY = new Set(['57P01', '57P02', '57P03', '53300', '25006', LOCK_TIMEOUT, STATEMENT_TIMEOUT, '25P03']);
/** Of these, what a server says that goes on serving the connection: the transaction is over, and not committed. */
const ANSWERED = new Set(['53300', '25006', LOCK_TIMEOUT, STATEMENT_TIMEOUT]);

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** A statement was refused because one before it in its transaction has failed. */
export const isAborted = (error: unknown): boolean => codeOf(error) === ABORTED;

/** Two transactions were in each other's way and one was rolled back: it may be run again. */
export function isConflict(error: unknown): boolean {
  return codeOf(error) === SERIALIZATION_FAILURE || codeOf(error) === DEADLOCK;
}

/** Whether the error says that the database, not the statement, is at fault. */
export function isAway(error: unknown): boolean {
  if (error instanceof DatabaseAway || error instanceof CommitUnknown) return true;
  const code = codeOf(error);
  if (AWAY.has(code) || code.startsWith('08')) return true;
  if (/^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_)/.test(code)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|connection error|timeout exceeded|read timeout|not queryable/i.test(error.message)
  );
}

/** Somebody else has held a lock for longer than it was waited for. */
export const isLockTimeout = (error: unknown): boolean =>
  codeOf(error instanceof DatabaseAway ? error.cause : error) === LOCK_TIMEOUT;

/** Whether the connection itself is gone, rather than a statement given up by a server that still answers. */
export function isBroken(error: unknown): boolean {
  return isAway(error) && !ANSWERED.has(codeOf(error));
}

/** Whether an operation exists already that carries the key of this one: the last guard, should its stored answer be gone. */
export function isKeyTaken(error: unknown): boolean {
  return codeOf(error) === UNIQUE_VIOLATION && constraintOf(error).endsWith('_idempotency_key');
}

function constraintOf(error: unknown): string {
  return (error as { constraint?: string } | null)?.constraint ?? '';
}

/**
 * Whether whatever else is tried just now would fail, too: the database cannot be reached. One statement that was given up
 * (a lock or a statement that took too long, conflicts without end) says nothing of the others.
 */
export function isOutOfReach(error: unknown): boolean {
  return isBroken(error instanceof DatabaseAway ? error.cause : error);
}

/** Whether the error is a duplicate, under that constraint or index where one is named. */
export function isDuplicate(error: unknown, constraint?: string): boolean {
  if (codeOf(error) !== UNIQUE_VIOLATION) return false;
  return constraint === undefined || constraintOf(error) === constraint;
}
