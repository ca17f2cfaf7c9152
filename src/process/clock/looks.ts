import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../kernel/db/database';
import type { Commands } from '../../kernel/outbox/commands';
import type { Reconcilable } from '../../kernel/temporal/reconciler';
import { STALE_MS } from '../../kernel/temporal/stale';

/** Later than the due time of any record. */
const END_OF_TIME = new Date('9999-12-31T00:00:00Z');
const PORTION = 1_000;
const LOOK_MS = 100;

interface LookDeps {
  database: Database;
  commands: Commands;
  reconcilables: readonly Reconcilable[];
}

/** Tells the workflow of every open record to look. A workflow then reads the new time. */
export async function lookAtAll({ database, commands, reconcilables }: LookDeps): Promise<void> {
  for (const { stale } of reconcilables) {
    const told: string[] = [];
    for (let found = PORTION; found >= PORTION; ) {
      const looks = await database.transaction(async (tx) => {
        const portion = await stale(tx, END_OF_TIME, PORTION, told);
        commands.append(tx, portion);
        return portion;
      });
      told.push(...looks.map(({ workflowId }) => workflowId));
      found = looks.length;
    }
  }
}

/**
 * Waits until no record is overdue, or the time is over. A record stays overdue while its party is away.
 * @param at the product's time
 */
export async function untilNoneOverdue(
  { database, reconcilables }: Pick<LookDeps, 'database' | 'reconcilables'>,
  at: Date,
  withinMs: number,
): Promise<void> {
  const end = performance.now() + withinMs;
  const before = new Date(at.getTime() - STALE_MS);
  for (const { stale } of reconcilables)
    while (performance.now() < end && (await stale(database, before, 1, [])).length > 0) await sleep(LOOK_MS);
}
