import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { QUEUES } from '../outbox/queues';
import { withinTime } from './connection';

/** A workflow that Temporal starts by the clock; its id is the schedule's with the time of its start. */
export interface Schedule {
  id: string;
  workflow: string;
  taskQueue: string;
  /** At the full minute, or the full hour. */
  every: 'minute' | 'hour';
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
    id: 'housekeeping',
    workflow: 'housekeeping',
    taskQueue: QUEUES.processes,
    every: 'hour',
    note: 'Takes ledger snapshots and forgets old idempotency keys, callbacks and quotes',
  },
  {
    id: 'iban-monthly-fees',
    workflow: 'ibanMonthlyFees',
    taskQueue: QUEUES.processes,
    every: 'hour',
    note: 'Takes the monthly fees of virtual IBANs that are due and unpaid, of missed months too',
  },
  {
    id: 'document-removal',
    workflow: 'documentRemoval',
    taskQueue: QUEUES.processes,
    every: 'hour',
    note: 'Removes from the documents store what no record keeps',
  },
];

/** Of earlier releases: they are deleted. */
const ENDED = ['iban-credit-catch-up'] as const;

const MINUTES = { minute: 1, hour: 60 };

function optionsOf({ id, workflow, taskQueue, every, note }: Schedule): ScheduleOptions {
  return {
    scheduleId: id,
    spec: { intervals: [{ every: `${MINUTES[every]}m` }] },
    action: { type: 'startWorkflow', workflowType: workflow, workflowId: id, taskQueue, args: [] },
    // Each looks for whatever is due, so one run makes up for all that were missed, and two at once are of no use.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1m' },
    state: { note },
  };
}

/**
 * Makes the schedules that are missing, so that a Temporal whose store was lost has them again.
 * @param renew also brings those that exist to what is written here, and deletes those that are no more: once a process,
 *   after a release
 * @throws Error when Temporal is away
 */
export async function ensureSchedules(
  client: Client,
  schedules: readonly Schedule[] = SCHEDULES,
  renew = false,
): Promise<void> {
  for (const schedule of schedules) {
    const options = optionsOf(schedule);
    try {
      await withinTime(client, () => client.schedule.create(options));
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      if (renew) await renewSchedule(client, options);
    }
  }
  if (renew) for (const id of ENDED) await deleteSchedule(client, id);
}

async function deleteSchedule(client: Client, id: string): Promise<void> {
  try {
    await withinTime(client, () => client.schedule.getHandle(id).delete());
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

/** Whether it is paused is the operator's, and stays. */
async function renewSchedule(client: Client, options: ScheduleOptions): Promise<void> {
  const handle = client.schedule.getHandle(options.scheduleId);
  await withinTime(client, () =>
    handle.update(({ state }) => ({
      spec: options.spec,
      action: options.action,
      policies: options.policies,
      state: { paused: state.paused, note: state.paused ? state.note : options.state?.note },
    })),
  );
}
