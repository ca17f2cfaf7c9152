import type { Database } from '../kernel/db/database';
import { openBreak } from './breaks/operations';

/**
 * The record of a running workflow does not exist. A command is committed together with its record, so the commit was lost by a
 * fail-over, and the workflow is the only witness of the record.
 */
export class RecordLost extends Error {
  override name = 'RecordLost';
  /** @param what the kind of record, such as `payout` */
  constructor(
    readonly what: string,
    readonly id: string,
  ) {
    super(`there is no ${what} ${id}`);
  }
}

/** The status with which the workflow of a lost record ends. */
export const LOST = 'lost';

/**
 * Takes a step of a record's workflow. A break tells people the id of a record that does not exist, and the workflow ends.
 * @returns the result of the step, or `lost`
 */
export async function unlessLost<Result>(
  database: Database,
  step: () => Promise<Result>,
): Promise<Result | typeof LOST> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof RecordLost)) throw error;
    await showLost(database, error);
    return LOST;
  }
}

/** The progress that ends the workflow of a lost record. */
const LOST_PROGRESS = { status: LOST, open: false, lookAt: null } as const;

/** As {@link unlessLost}, for steps whose result tells the workflow when to look again. */
export async function progressUnlessLost<Progress>(
  database: Database,
  step: () => Promise<Progress>,
): Promise<Progress | typeof LOST_PROGRESS> {
  const progress = await unlessLost(database, step);
  return progress === LOST ? LOST_PROGRESS : progress;
}

/** Tells people of a lost record. Idempotent. */
async function showLost(database: Database, { what, id }: RecordLost): Promise<void> {
  await openBreak(database, { tenantId: null, kind: 'record_lost', subject: id, detail: what });
}
