import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { describeSchedule, SCHEDULES, type Schedule } from './schedules';

const LOOK_MS = 250;

/**
 * Runs every schedule once, a paused one too, and waits until the runs have ended or the time is over. A run that is under way has
 * read the former time, so it is awaited first.
 * @throws Error when Temporal is away, or lacks a schedule; the other schedules run nevertheless
 */
export async function runSchedules(
  client: Client,
  withinMs: number,
  schedules: readonly Schedule[] = SCHEDULES,
): Promise<void> {
  const end = performance.now() + withinMs;
  const runs = await Promise.allSettled(schedules.map(({ id }) => runSchedule(client, id, end)));
  for (const run of runs) if (run.status === 'rejected') throw run.reason;
}

async function runSchedule(client: Client, id: string, end: number): Promise<void> {
  /** The id of the newest run's workflow. A schedule lists its runs, but not reliably whether one is under way. */
  const newest = async () =>
    (await describeSchedule(client, id)).info.recentActions.at(-1)?.action.workflow.workflowId;
  const before = await newest();
  await untilEnded(client, before, end);
  await client.schedule.getHandle(id).trigger();
  let run = before;
  while (run === before && performance.now() < end) {
    await sleep(LOOK_MS);
    run = await newest();
  }
  await untilEnded(client, run, end);
}

/** Waits until the newest run of a workflow has ended. A workflow that Temporal has forgotten has ended. */
async function untilEnded(client: Client, workflowId: string | undefined, end: number): Promise<void> {
  if (workflowId === undefined) return;
  const isRunning = async () => {
    try {
      return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  };
  while (performance.now() < end && (await isRunning())) await sleep(LOOK_MS);
}
