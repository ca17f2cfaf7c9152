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
  /** Runs an ordinary statement that Knex has built. Rows have camelCase names. */
  run<Row = Record<string, unknown>>(query: Knex.QueryBuilder): Promise<Row[]>;
  /** Runs a raw statement with `$1` parameters, for locks, batches and other special features of Postgres. */
  query<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  /**
   * Runs a raw statement that each connection parses and plans once, except through PgBouncer. For the hot path.
   */
  prepared<Row = Record<string, unknown>>(name: string, text: string, values: unknown[]): Promise<Row[]>;
}

/** A transaction at READ COMMITTED. Statements that are sent without awaiting one another share a round trip. */
export interface Tx extends Sql {
  /** Runs the hook after the commit. A failing hook undoes nothing, so it must handle its own errors. */
  afterCommit(hook: () => void): void;
  /**
   * Sends a statement together with the commit, without waiting for it. If it fails, nothing is committed. The
   * parameter is a statement and not a promise, so that a value that cannot be sent fails here, before the commit.
   * @param then receives the rows, named as in the database, before the hooks of {@link Tx.afterCommit} run
   */
  defer<Row = Record<string, unknown>>(statement: Statement, then?: (rows: Row[]) => void): void;
}

/** A statement built by Knex, or a text with its values. A named statement is prepared. */
export type Statement = Knex.QueryBuilder | (Built & { name?: string });

export interface Database extends Sql {
  /**
   * Runs `work` in one transaction. Deadlocks and serialization failures are retried, so `work` must have no effect
   * outside of its transaction.
   * @throws DatabaseAway when nothing was recorded; CommitUnknown when the connection broke during the commit
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Present connections of the pool. */
  counts(): PoolCounts;
  close(): Promise<void>;
}

export interface TransactionOptions {
  /** Longest run time of each statement, for work that no request waits for. Default: {@link STATEMENT_SECONDS}. */
  statementSeconds?: number;
  /**
   * Prepared statements always use the plan that suits any values. Otherwise Postgres may plan a statement anew for its
   * values, which never pays on the hot path.
   */
  plansKept?: boolean;
  /** Longest wait of each statement for a lock. Default: {@link LOCK_SECONDS}. */
  lockSeconds?: number;
}

const ATTEMPTS = 5;
export function createDatabase(options: DatabaseOptions): Database {
  const connections = openConnections(options);

  async function alone<T>(run: (sql: Sql) => Promise<T>): Promise<T> {
    const connection = await connections.take();
    try {
      const result = await run(sqlOn(connection, connections));
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

/** Begins the transaction and sets its own settings in the same message. */
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
  const sql = sqlOn(client, connections, options.statementSeconds);
  const tx: Tx = {
    ...sql,
    afterCommit: (hook) => hooks.push(hook),
    defer(statement, then) {
      const rows = send(sql, statement);
      const heard = then ? rows.then((found) => then(found as never)) : rows;
      heard.catch(() => undefined); // the commit reports it
      deferred.push(heard);
    },
  };
  let committing = false;
  let result: T;
  try {
    gatherWrites(client);
    // Not awaited: the message travels with the first statement, which fails as well if this one fails.
    client.query(beginning(options)).catch(() => undefined);
    result = await during(tx, work);
    committing = true;
    const committed = client.query('commit');
    committed.catch(() => undefined); // if a deferred statement fails, its error is reported instead
    await Promise.all(deferred);
    // Postgres rolls back silently when the error of a failed statement was swallowed.
    if ((await committed).command === 'ROLLBACK') throw new Error('a failed transaction was committed');
  } catch (thrown) {
    const error = isAborted(thrown) ? await firstFailed(deferred, thrown) : thrown;
    const isOurs = !isAway(error);
    // Sent after everything that is still under way. A connection without a confirmed rollback is not reused.
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

/** A failing hook must not fail the transaction, because the caller would repeat work that is already committed. */
function runHooks(hooks: readonly (() => void)[]): void {
  for (const hook of hooks) {
    try {
      hook();
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }
}

/** @throws Error at once for a value that cannot be sent, so that nothing else of the transaction is committed */
function send(sql: Sql, statement: Statement): Promise<Record<string, unknown>[]> {
  const { name, text, values } = 'text' in statement ? statement : named(compiled(statement));
  if (!values.every(isSendable)) throw new Error(`a value cannot be sent: ${text}`);
  return name === undefined ? sql.query(text, values) : sql.prepared(name, text, values);
}

const named = (built: Built) => ({ ...built, name: planName(built.text) });

/** Whether the driver writes the value as it is. Converting any other value may fail after the commit was sent. */
function isSendable(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'object') return ['string', 'number', 'boolean'].includes(typeof value);
  return value instanceof Date || Buffer.isBuffer(value) || (Array.isArray(value) && value.every(isSendable));
}

/** The error of the deferred statement that failed first. Postgres refuses all later statements without saying why. */
async function firstFailed(deferred: readonly Promise<unknown>[], otherwise: unknown): Promise<unknown> {
  const failed = (await Promise.allSettled(deferred)).find(({ status }) => status === 'rejected');
  return failed?.status === 'rejected' ? failed.reason : otherwise;
}

/**
 * Results of statements that were sent together, in the order of sending.
 * @throws the first failure in that order, even if a later statement was refused earlier
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
 * Runs work on a transaction and refuses statements that the work sends after it has ended. When one branch of a
 * `Promise.all` fails, the others go on, and the connection may already serve another transaction.
 */
export async function during<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  let ended = false;
  const refusal = () => new Error('the transaction has ended');
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

/** Resolves when the statements of this turn of the event loop are on their way, before the next turn. */
export const statementsSent = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Combines the writes of one turn of the event loop. A batch of ten statements would otherwise be ten system calls and
 * wake the server ten times.
 */
function gatherWrites(client: Connection): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

function sqlOn(
  client: Connection,
  { keepsSessions }: Pick<Connections, 'keepsSessions'>,
  seconds?: number,
): Sql {
  const patience = seconds === undefined ? {} : { query_timeout: (seconds + GRACE_SECONDS) * 1_000 };
  async function query<Row>(text: string, values?: unknown[]): Promise<Row[]> {
    gatherWrites(client);
    return (await client.query({ text, values, ...patience })).rows as Row[];
  }
  async function prepared<Row>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    if (!keepsSessions) return query(text, values);
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
