import type { Socket } from 'node:net';
import { Pool, type PoolClient, types } from 'pg';
import { DatabaseAway, isAway, isBroken, isConflict, OutcomeUnknown } from './faults';

// Numbers of the database never become floats: NUMERIC and BIGINT stay text until a store makes a Decimal of them.
types.setTypeParser(types.builtins.INT8, (value) => value);
types.setTypeParser(types.builtins.NUMERIC, (value) => value);

export interface Sql {
  /** Runs one statement with `$1` placeholders and gives its rows. */
  query<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  /** The same, planned once a connection: for the statements of the hot path. */
  prepared<Row = Record<string, unknown>>(name: string, text: string, values: unknown[]): Promise<Row[]>;
}

/** A transaction at READ COMMITTED. Statements sent without awaiting one another share a round trip. */
export interface Tx extends Sql {
  /** Runs when the transaction has been committed; a failure in it cannot undo anything and must handle itself. */
  afterCommit(hook: () => void): void;
  /** Statements whose results nobody needs: they travel with the commit, and where one fails nothing is committed. */
  defer(statement: Promise<unknown>): void;
}

export interface Database extends Sql {
  /**
   * Runs `work` in one transaction. Deadlocks and serialization failures are tried again, so `work` must have no
   * effect outside of its transaction.
   * @throws DatabaseAway nothing was recorded; OutcomeUnknown the connection broke during the commit
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

/** Connections of the pool to Postgres. */
export interface PoolCounts {
  total: number;
  idle: number;
  /** Transactions and statements that wait for a connection. */
  waiting: number;
}

const ATTEMPTS = 5;
/** What a statement may take. */
const STATEMENT_SECONDS = 20;
/** What a statement may wait for a lock. */
const LOCK_SECONDS = 10;
/** What a server that is alive may take beyond that to say so. */
const GRACE_SECONDS = 5;

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  /** Shown in pg_stat_activity. */
  name: string;
}

export function createDatabase({ url, poolSize, name }: DatabaseOptions): Database {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    application_name: name,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    // One statement may wait for a lock, but never hold a caller for longer than a proxy would.
    statement_timeout: STATEMENT_SECONDS * 1_000,
    lock_timeout: LOCK_SECONDS * 1_000,
    idle_in_transaction_session_timeout: 30_000,
    // A server that is frozen, or cut off without a word, keeps none of its own time-outs: the connection is given up.
    query_timeout: (STATEMENT_SECONDS + GRACE_SECONDS) * 1_000,
    pipeline: true,
    // Every lookup has its index. A plan that was made while a table was small, and is kept, must not go on reading the
    // whole of it once it has grown; what has no index (a proof over all legs) is read whole in any case.
    options: '-c enable_seqscan=off',
  });
  pool.on('error', () => undefined); // an idle connection broke: the pool has dropped it already
  // One in use broke: its statements fail, and whoever waits for them hears of it. Unheard, the event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));

  async function connect(): Promise<PoolClient> {
    try {
      return await pool.connect();
    } catch (error) {
      throw new DatabaseAway(error);
    }
  }

  async function alone<T>(run: (sql: Sql) => Promise<T>): Promise<T> {
    const client = await connect();
    try {
      const result = await run(sqlOn(client));
      client.release();
      return result;
    } catch (error) {
      client.release(isAway(error));
      throw isAway(error) ? new DatabaseAway(error) : error;
    }
  }

  return {
    query: (text, values) => alone((sql) => sql.query(text, values)),
    prepared: (statement, text, values) => alone((sql) => sql.prepared(statement, text, values)),
    async transaction(work, options) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await once(await connect(), work, options);
        } catch (error) {
          if (!isConflict(error)) throw error;
          if (attempt === ATTEMPTS) throw new DatabaseAway(error);
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** attempt));
        }
      }
    },
    counts: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

const BEGIN_WITH_KEPT_PLANS = 'begin; set local plan_cache_mode = force_generic_plan';

async function once<T>(
  client: PoolClient,
  work: (tx: Tx) => Promise<T>,
  { statementSeconds: seconds, plansKept, lockSeconds }: TransactionOptions = {},
): Promise<T> {
  const hooks: (() => void)[] = [];
  const deferred: Promise<unknown>[] = [];
  const tx: Tx = {
    ...sqlOn(client, seconds),
    afterCommit: (hook) => hooks.push(hook),
    defer(statement) {
      statement.catch(() => undefined); // seen at the commit
      deferred.push(statement);
    },
  };
  let committing = false;
  let result: T;
  try {
    gatherWrites(client);
    // Not awaited: it travels with the first statement, and where it fails that one fails too.
    client.query(plansKept ? BEGIN_WITH_KEPT_PLANS : 'begin').catch(() => undefined);
    if (seconds !== undefined)
      client.query(`set local statement_timeout = '${seconds}s'`).catch(() => undefined);
    if (lockSeconds !== undefined)
      client.query(`set local lock_timeout = '${lockSeconds}s'`).catch(() => undefined);
    result = await work(tx);
    committing = true;
    const committed = client.query('commit');
    committed.catch(() => undefined); // where a deferred statement fails, its error is the one to tell
    await Promise.all(deferred);
    // A statement failed and its error was swallowed: Postgres has rolled everything back, quietly.
    if ((await committed).command === 'ROLLBACK') throw new Error('a failed transaction was committed');
  } catch (error) {
    const broken = isAway(error);
    if (!broken) await client.query('rollback').catch(() => undefined);
    client.release(broken);
    if (!broken) throw error;
    throw committing && isBroken(error) ? new OutcomeUnknown(error) : new DatabaseAway(error);
  }
  client.release();
  for (const hook of hooks) hook();
  return result;
}

/**
 * What one turn of the event loop sends on a connection leaves in one write: a batch of ten statements would otherwise be
 * ten system calls, and wake the server ten times.
 */
function gatherWrites(client: PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

function sqlOn(client: PoolClient, seconds?: number): Sql {
  const patience = seconds === undefined ? {} : { query_timeout: (seconds + GRACE_SECONDS) * 1_000 };
  return {
    async query<Row>(text: string, values?: unknown[]) {
      gatherWrites(client);
      return (await client.query({ text, values, ...patience })).rows as Row[];
    },
    async prepared<Row>(name: string, text: string, values: unknown[]) {
      gatherWrites(client);
      return (await client.query({ name, text, values, ...patience })).rows as Row[];
    },
  };
}
