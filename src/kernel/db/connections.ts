import { type Knex, knex } from 'knex';
import type { PoolClient } from 'pg';
import { types } from 'pg';
import { DatabaseAway } from './faults';
import { isPooled, STARTUP_OPTIONS, STATEMENT_SECONDS } from './session-settings';

// NUMERIC and BIGINT stay text until a store converts them to Decimal, so no number of the database becomes a float.
types.setTypeParser(types.builtins.INT8, (value) => value);
types.setTypeParser(types.builtins.NUMERIC, (value) => value);

const readTime = types.getTypeParser(types.builtins.TIMESTAMPTZ) as (text: string) => Date | number | null;
const IN_UTC = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/;
// The driver's own parser takes a fortieth of the time of an authorization. The usual form of a time is ISO's.
types.setTypeParser(types.builtins.TIMESTAMPTZ, (text) =>
  IN_UTC.test(text) ? new Date(`${text.slice(0, 10)}T${text.slice(11)}:00`) : readTime(text),
);

/** Extra time before the connection is given up, for the answer of a server that is alive. */
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

/** A connection of node-postgres from Knex's pool. */
export type Connection = Pick<PoolClient, 'query'> & { __knex__disposed?: unknown };

export interface Connections {
  /** @throws DatabaseAway when there is none within five seconds */
  take(): Promise<Connection>;
  /** @param broken whether the connection is discarded instead of reused */
  giveBack(connection: Connection, broken: boolean): void;
  counts(): PoolCounts;
  close(): Promise<void>;
  /** Whether each connection keeps its session, and with it prepared statements. */
  keepsSessions: boolean;
}

/**
 * Opens Knex's pool. The product speaks on the connections itself, because pipelining and deferred writes need the
 * driver.
 */
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
    keepsSessions: !isPooled(options.url),
  };
}

/** The part of Knex, or of a Knex transaction, that lends connections. Knex's types do not declare it. */
interface Lender {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<void>;
  destroy(): Promise<void>;
  pool: { numUsed(): number; numFree(): number; numPendingAcquires(): number };
}

function configOf({ url, poolSize, name }: DatabaseOptions): Knex.Config {
  return {
    client: 'pg',
    version: '15', // oldest version supported; saves Knex a query to each server
    connection: {
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      // For a server that is frozen or cut off and cannot enforce its own time-outs: the client gives the connection
      // up.
      query_timeout: (STATEMENT_SECONDS + GRACE_SECONDS) * 1_000,
      pipeline: true,
      ...(isPooled(url) ? {} : { options: STARTUP_OPTIONS }),
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize, acquireTimeoutMillis: CONNECT_MS, idleTimeoutMillis: IDLE_MS },
    log: SILENT, // the caller whose statement failed reports a broken connection
  };
}

export const lenderOf = (db: Knex): Lender => (db as unknown as { client: Lender }).client;

const quiet = () => undefined;
export const SILENT = { warn: quiet, error: quiet, deprecate: quiet, debug: quiet };
