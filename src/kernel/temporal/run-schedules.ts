import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { SCHEDULES, type Schedule } from './schedules';

const LOOK_MS = 200;

/**
 * Runs every schedule once, a paused one too, and waits until the runs have ended or the time is over. A schedule that is running
 * starts no second run, so its run is awaited first.
 * @throws Error when Temporal is away, or lacks a schedule
 */
export async function runSchedules(
  client: Client,
  withinMs: number,
  schedules: readonly Schedule[] = SCHEDULES,
): Promise<void> {
  const end = performance.now() + withinMs;
  await Promise.all(schedules.map(({ id }) => runSchedule(client, id, end)));
}

async function runSchedule(client: Client, id: string, end: number): Promise<void> {
  const handle = client.schedule.getHandle(id);
  const isRunning = async () => (await handle.describe()).info.runningActions.length > 0;
  while (performance.now() < end && (await isRunning())) await sleep(LOOK_MS);
  const before = (await handle.describe()).info.numActionsTaken;
  await handle.trigger();
  // Temporal counts a run shortly after it was asked for.
  const isOver = async () => {
    const { info } = await handle.describe();
    return info.numActionsTaken > before && info.runningActions.length === 0;
  };
  while (performance.now() < end && !(await isOver())) await sleep(LOOK_MS);
}
