import type { Socket } from 'node:net';
import type { Knex } from 'knex';
import { type Built, camelRow, compiled } from './build';
import {
  type Connection,
  type Connections,
  type DatabaseOptions,
  GRACE_SECONDS,
  openConnections,
  type PoolCounts,
} from './connections';
import { CommitUnknown, DatabaseAway, isAborted, isAway, isBroken, isConflict } from './faults';
import { planName } from './kept-plans';

export interface Sql {
  /** Runs a statement that Knex has built, and gives its rows in camelCase: for all that is ordinary. */
  run<Row = Record<string, unknown>>(query: Knex.QueryBuilder): Promise<Row[]>;
  /** Runs one statement with `$1` parameters and gives its rows: where Postgres is the point. */
  query<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  /** The same, planned once a connection: for the statements of the hot path. */
  prepared<Row = Record<string, unknown>>(name: string, text: string, values: unknown[]): Promise<Row[]>;
}

/** A transaction at READ COMMITTED. Statements sent without awaiting one another share a round trip. */
export interface Tx extends Sql {
  /** Runs when the transaction has been committed; a failure in it cannot undo anything and must handle itself. */
  afterCommit(hook: () => void): void;
  /**
   * Sends a statement that nobody waits for: it travels with the commit, and where it fails nothing is committed. It is
   * given built, not as a promise: what cannot even be sent fails here, before the commit.
   * @param then told its rows, as the database names their columns, before the hooks of {@link Tx.afterCommit}
   */
  defer<Row = Record<string, unknown>>(statement: Statement, then?: (rows: Row[]) => void): void;
}

/** A statement as it is built: by Knex, or its text and values; with a name it is prepared. */
export type Statement = Knex.QueryBuilder | (Built & { name?: string });

export interface Database extends Sql {
  /**
   * Runs `work` in one transaction. Deadlocks and serialization failures are tried again, so `work` must have no
   * effect outside of its transaction.
   * @throws DatabaseAway nothing was recorded; CommitUnknown the connection broke during the commit
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The pool's connections now. */
  counts(): PoolCounts;
  close(): Promise<void>;
}

export interface TransactionOptions {
  /** How long each statement may take, for work that no request waits for; {@link STATEMENT_SECONDS} when absent. */
  statementSeconds?: number;
  /**
   * Prepared statements run by the plan that was made for any values, at once and always. Else Postgres plans a statement
   * anew for its values where it thinks that worth the while, which on the hot path it never is.
   */
  plansKept?: boolean;
  /** How long each statement may wait for a lock; {@link LOCK_SECONDS} when absent. */
  lockSeconds?: number;
}

const ATTEMPTS = 5;
export function createDatabase(options: DatabaseOptions): Database {
  const connections = openConnections(options);

  async function alone<T>(run: (sql: Sql) => Promise<T>): Promise<T> {
    const connection = await connections.take();
    try {
      const result = await run(sqlOn(connection));
      connections.giveBack(connection, false);
      return result;
    } catch (error) {
      connections.giveBack(connection, isAway(error));
      throw isAway(error) ? new DatabaseAway(error) : error;
    }
  }

  return {
    run: (query) => alone((sql) => sql.run(query)),
    query: (text, values) => alone((sql) => sql.query(text, values)),
    prepared: (statement, text, values) => alone((sql) => sql.prepared(statement, text, values)),
    async transaction(work, wanted) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await once(connections, work, wanted);
        } catch (error) {
          if (!isConflict(error)) throw error;
          if (attempt === ATTEMPTS) throw new DatabaseAway(error);
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** attempt));
        }
      }
    },
    counts: () => connections.counts(),
    close: () => connections.close(),
  };
}

/** With what holds for this transaction alone: one message. */
function beginning({ statementSeconds, plansKept, lockSeconds }: TransactionOptions): string {
  const settings = [
    plansKept && 'plan_cache_mode = force_generic_plan',
    statementSeconds !== undefined && `statement_timeout = '${statementSeconds}s'`,
    lockSeconds !== undefined && `lock_timeout = '${lockSeconds}s'`,
  ];
  return ['begin', ...settings.filter(Boolean).map((setting) => `set local ${setting}`)].join('; ');
}

async function once<T>(
  connections: Connections,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const client = await connections.take();
  const hooks: (() => void)[] = [];
  const deferred: Promise<unknown>[] = [];
  const sql = sqlOn(client, options.statementSeconds);
  const tx: Tx = {
    ...sql,
    afterCommit: (hook) => hooks.push(hook),
    defer(statement, then) {
      const rows = send(sql, statement);
      const heard = then ? rows.then((found) => then(found as never)) : rows;
      heard.catch(() => undefined); // seen at the commit
      deferred.push(heard);
    },
  };
  let committing = false;
  let result: T;
  try {
    gatherWrites(client);
    // Not awaited: it travels with the first statement, and where it fails that one fails too.
    client.query(beginning(options)).catch(() => undefined);
    result = await during(tx, work);
    committing = true;
    const committed = client.query('commit');
    committed.catch(() => undefined); // where a deferred statement fails, its error is the one to tell
    await Promise.all(deferred);
    // A statement failed and its error was swallowed: Postgres has rolled everything back, quietly.
    if ((await committed).command === 'ROLLBACK') throw new Error('a failed transaction was committed');
  } catch (thrown) {
    const error = isAborted(thrown) ? await firstFailed(deferred, thrown) : thrown;
    const isOurs = !isAway(error);
    // Behind whatever is still under way. A connection that was not heard to roll back is lent to nobody.
    const rolledBack = client.query('rollback').then(
      () => true,
      () => false,
    );
    connections.giveBack(client, !(isOurs && (await rolledBack)));
    if (isOurs) throw error;
    throw committing && isBroken(error) ? new CommitUnknown(error) : new DatabaseAway(error);
  }
  connections.giveBack(client, false);
  runHooks(hooks);
  return result;
}

/** What is committed has succeeded, whatever becomes of what follows: else it would be done again. */
function runHooks(hooks: readonly (() => void)[]): void {
  for (const hook of hooks) {
    try {
      hook();
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }
}

/** @throws Error for what cannot be sent: at once, so that nothing else of its transaction is committed */
function send(sql: Sql, statement: Statement): Promise<Record<string, unknown>[]> {
  const { name, text, values } = 'text' in statement ? statement : named(compiled(statement));
  if (!values.every(isSendable)) throw new Error(`a value cannot be sent: ${text}`);
  return name === undefined ? sql.query(text, values) : sql.prepared(name, text, values);
}

const named = (built: Built) => ({ ...built, name: planName(built.text) });

/** What the driver writes as it is: in mapping anything else it may fail, when it is too late to tell. */
function isSendable(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'object') return ['string', 'number', 'boolean'].includes(typeof value);
  return value instanceof Date || Buffer.isBuffer(value) || (Array.isArray(value) && value.every(isSendable));
}

/** After a statement that nobody waits for has failed, Postgres refuses the next one: why is what the first one tells. */
async function firstFailed(deferred: readonly Promise<unknown>[], otherwise: unknown): Promise<unknown> {
  const failed = (await Promise.allSettled(deferred)).find(({ status }) => status === 'rejected');
  return failed?.status === 'rejected' ? failed.reason : otherwise;
}

/**
 * What was sent side by side, in one way there and back: the results in that order, or the first in that order that failed,
 * be it that a later one was refused before any answer had come.
 */
export async function inOrder<T extends readonly unknown[]>(
  sent: {
    [K in keyof T]: Promise<T[K]>;
  },
): Promise<T> {
  const results = await Promise.allSettled(sent);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }) as unknown as T;
}

/**
 * Runs work on a transaction. What the work sends when it has ended – where one branch of a `Promise.all` failed, the
 * others go on – is refused before it reaches the connection, which may be another's by then.
 */
export async function during<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  let ended = false;
  const refusal = () => new Error('its transaction has ended');
  const unlessEnded = <R>(send: () => Promise<R>) => (ended ? Promise.reject(refusal()) : send());
  try {
    return await work({
      run: (query) => unlessEnded(() => tx.run(query)),
      query: (text, values) => unlessEnded(() => tx.query(text, values)),
      prepared: (name, text, values) => unlessEnded(() => tx.prepared(name, text, values)),
      defer(statement, then) {
        if (ended) throw refusal();
        tx.defer(statement, then);
      },
      afterCommit(hook) {
        if (ended) throw refusal();
        tx.afterCommit(hook);
      },
    });
  } finally {
    ended = true;
  }
}

/**
 * What one turn of the event loop sends on a connection leaves in one write: a batch of ten statements would otherwise be
 * ten system calls, and wake the server ten times.
 */
function gatherWrites(client: Connection): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

function sqlOn(client: Connection, seconds?: number): Sql {
  const patience = seconds === undefined ? {} : { query_timeout: (seconds + GRACE_SECONDS) * 1_000 };
  async function query<Row>(text: string, values?: unknown[]): Promise<Row[]> {
    gatherWrites(client);
    return (await client.query({ text, values, ...patience })).rows as Row[];
  }
  async function prepared<Row>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    gatherWrites(client);
    return (await client.query({ name, text, values, ...patience })).rows as Row[];
  }
  return {
    query,
    prepared,
    async run<Row>(built: Knex.QueryBuilder) {
      const { name, text, values } = named(compiled(built));
      const rows = name === undefined ? query(text, values) : prepared(name, text, values);
      return (await rows).map((row) => camelRow(row as Record<string, unknown>)) as Row[];
    },
  };
}
