import { type Knex, knex } from 'knex';
import type { PoolClient } from 'pg';
import { types } from 'pg';
import { DatabaseAway } from './faults';

// Numbers of the database never become floats: NUMERIC and BIGINT stay text until a store makes a Decimal of them.
types.setTypeParser(types.builtins.INT8, (value) => value);
types.setTypeParser(types.builtins.NUMERIC, (value) => value);

/** What a statement may take. */
export const STATEMENT_SECONDS = 20;
/** What a statement may wait for a lock. */
const LOCK_SECONDS = 10;
/** What a server that is alive may take beyond that to say so. */
export const GRACE_SECONDS = 5;
const CONNECT_MS = 5_000;
const IDLE_MS = 60_000;

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  /** Shown in pg_stat_activity. */
  name: string;
}

/** Connections of the pool to Postgres. */
export interface PoolCounts {
  total: number;
  idle: number;
  /** Transactions and statements that wait for a connection. */
  waiting: number;
}

/** A connection of node-postgres, as Knex's pool lends it. */
export type Connection = Pick<PoolClient, 'query'> & { __knex__disposed?: unknown };

export interface Connections {
  /** @throws DatabaseAway when there is none within five seconds */
  take(): Promise<Connection>;
  /** @param broken it is not lent again */
  giveBack(connection: Connection, broken: boolean): void;
  counts(): PoolCounts;
  close(): Promise<void>;
}

/** Knex's pool. What is said on a connection is ours: pipelining and deferred writes need the driver itself. */
export function openConnections(options: DatabaseOptions): Connections {
  const client = lenderOf(knex(configOf(options)));
  return {
    async take() {
      try {
        return await client.acquireConnection();
      } catch (error) {
        throw new DatabaseAway(error);
      }
    },
    giveBack(connection, broken) {
      if (broken) connection.__knex__disposed ??= 'broken';
      void client.releaseConnection(connection);
    },
    counts() {
      const { pool } = client;
      const [used, idle] = [pool.numUsed(), pool.numFree()];
      return { total: used + idle, idle, waiting: pool.numPendingAcquires() };
    },
    close: () => client.destroy(),
  };
}

/** What of a Knex, or of a transaction of its, lends connections. Its types leave it open. */
interface Lender {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<void>;
  destroy(): Promise<void>;
  pool: { numUsed(): number; numFree(): number; numPendingAcquires(): number };
}

function configOf({ url, poolSize, name }: DatabaseOptions): Knex.Config {
  return {
    client: 'pg',
    version: '15', // the oldest that we run on: Knex need not ask each server
    connection: {
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      // One statement may wait for a lock, but never hold a caller for longer than a proxy would.
      statement_timeout: STATEMENT_SECONDS * 1_000,
      lock_timeout: LOCK_SECONDS * 1_000,
      idle_in_transaction_session_timeout: 30_000,
      // A server that is frozen, or cut off without a word, keeps none of its own time-outs: the connection is given up.
      query_timeout: (STATEMENT_SECONDS + GRACE_SECONDS) * 1_000,
      pipeline: true,
      // Every lookup has its index. A plan that was made while a table was small, and is kept, must not go on reading
      // the whole of it once it has grown; what has no index (a proof over all entries) is read whole in any case.
      options: '-c enable_seqscan=off',
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize, acquireTimeoutMillis: CONNECT_MS, idleTimeoutMillis: IDLE_MS },
    log: SILENT, // a broken connection is told by whoever it failed
  };
}

export const lenderOf = (db: Knex): Lender => (db as unknown as { client: Lender }).client;

const quiet = () => undefined;
export const SILENT = { warn: quiet, error: quiet, deprecate: quiet, debug: quiet };
