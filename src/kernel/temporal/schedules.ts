import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { QUEUES } from '../outbox/queues';

/** A workflow that Temporal starts by the clock; its id is the schedule's with the time of its start. */
export interface Schedule {
  id: string;
  workflow: string;
  taskQueue: string;
  /** At the full minute, the fifth of each, or the full hour. */
  every: 'minute' | 'five_minutes' | 'hour';
  /** For the operator who reads the schedule in Temporal's UI. */
  note: string;
}

export const SCHEDULES: readonly Schedule[] = [
  {
    id: 'authorization-expiry',
    workflow: 'authorizationExpiry',
    taskQueue: QUEUES.processes,
    every: 'minute',
    note: 'Cancels open authorizations whose validity has ended',
  },
  {
    id: 'gas-auto-sweep',
    workflow: 'gasAutoSweep',
    taskQueue: QUEUES.processes,
    every: 'minute',
    note: 'Orders sweeps, and the gas that they need, on chains whose station works by itself',
  },
  {
    id: 'housekeeping',
    workflow: 'housekeeping',
    taskQueue: QUEUES.processes,
    every: 'hour',
    note: 'Takes ledger snapshots, forgets old idempotency keys, callbacks, quotes and spending, returns wallets to their pool',
  },
  {
    id: 'iban-monthly-fees',
    workflow: 'ibanMonthlyFees',
    taskQueue: QUEUES.processes,
    every: 'hour',
    note: 'Takes the monthly fees of virtual IBANs that are due and unpaid, of missed months too',
  },
  {
    id: 'settlement-reading',
    workflow: 'settlementReading',
    taskQueue: QUEUES.processes,
    every: 'five_minutes',
    note: 'Keeps what the exchange says that it holds of ours, and shows a difference that lasts',
  },
  {
    id: 'chain-reading',
    workflow: 'chainReading',
    taskQueue: QUEUES.processes,
    every: 'five_minutes',
    note: 'Keeps what stands on each chain beside our books, and shows a difference that lasts',
  },
  {
    id: 'document-removal',
    workflow: 'documentRemoval',
    taskQueue: QUEUES.processes,
    every: 'hour',
    note: 'Removes from the documents store what no record keeps',
  },
];

const MINUTES = { minute: 1, five_minutes: 5, hour: 60 };
const MINUTE_MS = 60_000;
// Each looks for whatever is due, so one run makes up for all that were missed, and two at once are of no use.
const POLICIES = { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: MINUTE_MS };

function optionsOf({ id, workflow, taskQueue, every, note }: Schedule): ScheduleOptions {
  return {
    scheduleId: id,
    spec: { intervals: [{ every: `${MINUTES[every]}m` }] },
    action: { type: 'startWorkflow', workflowType: workflow, workflowId: id, taskQueue, args: [] },
    policies: POLICIES,
    state: { note },
  };
}

/**
 * Makes the schedules that are missing, so that a Temporal whose store was lost has them again.
 * @param renew also updates existing schedules to the definitions of this release
 * @returns whether each of those that exist was found as it is written here. Temporal applies an update a moment after it
 *   has taken it, and another process's may come between: what had to be renewed is to be looked at once more
 * @throws Error when Temporal is away
 */
export async function ensureSchedules(
  client: Client,
  schedules: readonly Schedule[] = SCHEDULES,
  renew = false,
): Promise<boolean> {
  let asWritten = true;
  for (const schedule of schedules) {
    try {
      await client.schedule.create(optionsOf(schedule));
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      if (renew && (await renewSchedule(client, schedule))) asWritten = false;
    }
  }
  return asWritten;
}

/**
 * Whether it is paused is the operator's, and stays.
 * @returns whether there was something to renew
 */
async function renewSchedule(client: Client, schedule: Schedule): Promise<boolean> {
  const options = optionsOf(schedule);
  const handle = client.schedule.getHandle(options.scheduleId);
  if (isAsWritten(await handle.describe(), schedule)) return false;
  await handle.update(({ state }) => ({
    spec: options.spec,
    action: options.action,
    policies: options.policies,
    state: { paused: state.paused, note: state.paused ? state.note : options.state?.note },
  }));
  return true;
}

/** Of what stands in a schedule as Temporal describes it, all that is written here. */
function isAsWritten(found: ScheduleDescription, schedule: Schedule): boolean {
  const { spec, action, policies, state } = found;
  return (
    spec.intervals?.length === 1 &&
    spec.intervals[0]?.every === MINUTES[schedule.every] * MINUTE_MS &&
    !spec.intervals[0].offset &&
    !spec.calendars?.length &&
    !spec.skip?.length &&
    action.workflowType === schedule.workflow &&
    action.workflowId === schedule.id &&
    action.taskQueue === schedule.taskQueue &&
    !action.args?.length &&
    policies.overlap === POLICIES.overlap &&
    policies.catchupWindow === POLICIES.catchupWindow &&
    (state.paused || state.note === schedule.note)
  );
}
