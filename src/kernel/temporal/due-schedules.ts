import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { WRITTEN } from '../db/commit-marks';
import type { Database } from '../db/database';
import { lookoutOf, NONE, PERHAPS, type Sign } from '../db/lookout';
import type { Presence } from './presence';
import { describeSchedule } from './schedules';

/** Least interval between two runs of a schedule, which a record that cannot be handled would otherwise start again and again. */
const EVERY_MS = 60_000;
/** Interval of runs that may find nothing, while nothing is written. */
const PATIENCE_MS = 10 * 60_000;

export interface DueSchedulesOptions {
  client: Client;
  database: Database;
  log: Logger;
  /** Ids of schedules, each with the sign that a run would find something: `false`, {@link PERHAPS} with any rest, or anything else for yes. */
  due: Readonly<Record<string, Sign>>;
  everyMs?: number;
  /** Called after each call without an answer. */
  onAway?: Presence['missed'];
}

/**
 * Runs a schedule within seconds of its sign, at most once a minute, so that no workflow runs to find nothing. An operator's pause
 * holds here as well. Several processes may do this: a run of the last minute is enough for all of them. The schedule's own hourly run
 * makes up for a sign that was missed.
 */
export function startDueSchedules(options: DueSchedulesOptions): { stop(): Promise<void> } {
  const { database, log, due, everyMs = EVERY_MS, onAway } = options;
  const stopping = new AbortController();
  const { signal } = stopping;

  async function follow(id: string, sign: Sign): Promise<void> {
    const lookout = lookoutOf(database);
    const last = { found: '', at: Number.NEGATIVE_INFINITY };
    while (!signal.aborted) {
      await lookout.until(sign, NONE, { signal, mostMs: everyMs });
      if (signal.aborted) return;
      try {
        const value = await lookout.value(sign);
        const found = `${value} ${await lookout.value(WRITTEN)}`;
        const isNews =
          !value?.startsWith(PERHAPS) || found !== last.found || performance.now() - last.at > PATIENCE_MS;
        if (value === NONE) continue; // the rest ends without the sign, too
        if (isNews) {
          await runOnce(options, id, everyMs);
          Object.assign(last, { found, at: performance.now() });
        }
      } catch (error) {
        const told = (await onAway?.()) ? 'debug' : 'warn';
        log[told](
          { schedule: id, error: (error as Error).name },
          'a due schedule could not be run; tried again',
        );
      }
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  const ended = Promise.all(Object.entries(due).map(([id, sign]) => follow(id, sign)));
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** Runs a schedule unless it is paused, or was run within the interval. @throws Error when Temporal is away or lacks the schedule */
async function runOnce({ client }: DueSchedulesOptions, id: string, everyMs: number): Promise<void> {
  const { state, info } = await describeSchedule(client, id);
  const last = info.recentActions.at(-1)?.takenAt.getTime() ?? 0;
  if (state.paused || Date.now() - last < everyMs / 2) return;
  await client.schedule.getHandle(id).trigger();
}
