import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Sql } from '../kernel/db/database';
import { DatabaseAway } from '../kernel/db/faults';
import { missingMigrations } from '../kernel/db/migrate';
import type { Stages } from './stages';

const ASK_MS = 1_000;
const SAY_EVERY = 10;

/**
 * Waits until `--role migrate` has applied the migrations of this release, because APIs and workers never change the
 * schema. A newer schema is accepted, because migrations add before they remove.
 */
export async function awaitSchema(sql: Sql, log: Logger, stages: Stages): Promise<void> {
  let stopped = false;
  stages.started('wait for the schema', async () => {
    stopped = true;
  });
  for (let asked = 0; !stopped; asked += 1) {
    const missing = await lookFor(sql);
    if (missing?.length === 0) return;
    if (asked % SAY_EVERY === 0) log.warn({ missing }, 'waiting for the schema: run --role migrate');
    await sleep(ASK_MS);
  }
}

/** @returns undefined while the database does not answer */
async function lookFor(sql: Sql): Promise<string[] | undefined> {
  try {
    return await missingMigrations(sql);
  } catch (error) {
    if (error instanceof DatabaseAway) return undefined;
    throw error;
  }
}
