import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { QUEUES } from '../outbox/queues';
import { grpcErrorIn } from './grpc-error';

/** A workflow that Temporal starts by the clock. Its workflow id is the schedule's id with the start time. */
export interface Schedule {
  id: string;
  workflow: string;
  taskQueue: string;
  /** Every fifth minute, or the full hour. */
  every: 'five_minutes' | 'hour';
  /** Also within seconds when there is something to do (`due-schedules.ts`). */
  whenDue?: true;
  /** For operators in Temporal's UI. */
  note: string;
}

export const SCHEDULES: readonly Schedule[] = [
  {
    id: 'authorization-expiry',
    workflow: 'authorizationExpiry',
    taskQueue: QUEUES.processes,
    every: 'hour',
    whenDue: true,
    note: 'Cancels open authorizations whose validity has ended',
  },
  {
    id: 'gas-auto-sweep',
    workflow: 'gasAutoSweep',
    taskQueue: QUEUES.processes,
    every: 'hour',
    whenDue: true,
    note: 'Orders sweeps, and the gas for them, on chains with automatic sweeping',
  },
  {
    id: 'housekeeping',
    workflow: 'housekeeping',
    taskQueue: QUEUES.processes,
    every: 'hour',
    note: 'Takes ledger snapshots, deletes old idempotency keys, callbacks, quotes and spending, returns wallets to their pool',
  },
  {
    id: 'iban-monthly-fees',
    workflow: 'ibanMonthlyFees',
    taskQueue: QUEUES.processes,
    every: 'hour',
    note: 'Charges monthly fees of virtual IBANs that are due and unpaid, missed months included',
  },
  {
    id: 'settlement-reading',
    workflow: 'settlementReading',
    taskQueue: QUEUES.processes,
    every: 'five_minutes',
    note: 'Compares the balances at the exchange with our books and reports lasting differences',
  },
  {
    id: 'chain-reading',
    workflow: 'chainReading',
    taskQueue: QUEUES.processes,
    every: 'five_minutes',
    note: 'Compares the balances on each chain with our books and reports lasting differences',
  },
  {
    id: 'document-removal',
    workflow: 'documentRemoval',
    taskQueue: QUEUES.processes,
    every: 'hour',
    note: 'Deletes documents that no record refers to from the store',
  },
  {
    id: 'operator-mail',
    workflow: 'operatorMail',
    taskQueue: QUEUES.processes,
    every: 'hour',
    note: 'Mails operators who want it what waits for them',
  },
  {
    id: 'audit-head',
    workflow: 'auditHead',
    taskQueue: QUEUES.processes,
    every: 'hour',
    note: 'Tells the head of the audit log to the place that AUDIT_HEAD_TO names',
  },
];

const MINUTES = { five_minutes: 5, hour: 60 };
const MINUTE_MS = 60_000;
// Each run handles everything that is due, so one run makes up for missed ones and concurrent runs are useless.
const POLICIES = { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: MINUTE_MS };

function optionsOf({ id, workflow, taskQueue, every, note }: Schedule): ScheduleOptions {
  return {
    scheduleId: id,
    spec: { intervals: [{ every: `${MINUTES[every]}m` }] },
    action: {
      type: 'startWorkflow',
      workflowType: workflow,
      workflowId: id,
      taskQueue,
      args: [],
      staticSummary: note,
    },
    policies: POLICIES,
    state: { note },
  };
}

/** gRPC status codes of a description that Temporal may give a moment later. */
const AGAIN = new Set([1 /* CANCELLED */, 4 /* DEADLINE_EXCEEDED */, 8 /* RESOURCE_EXHAUSTED */]);
const DESCRIBE_ATTEMPTS = 5;
const DESCRIBE_REST_MS = 100;

/**
 * Describes a schedule. Temporal asks the schedule's own workflow. It refuses a second question at the same time, and loses
 * a question that comes while the schedule changes. So a question is asked up to five times.
 * @throws Error when Temporal is away, lacks the schedule or does not answer within half a minute
 */
export async function describeSchedule(client: Client, id: string): Promise<ScheduleDescription> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await client.schedule.getHandle(id).describe();
    } catch (error) {
      const code = grpcErrorIn(error)?.code;
      if (attempt === DESCRIBE_ATTEMPTS || code === undefined || !AGAIN.has(code)) throw error;
      await sleep(DESCRIBE_REST_MS * attempt);
    }
  }
}

/**
 * Creates missing schedules, also after Temporal has lost its store.
 * @param renew also updates existing schedules to this release's definitions
 * @returns whether all existing schedules matched their definitions. After an update, check once more, because Temporal
 *   applies it with a delay and another process may have updated in between.
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
 * Updates a schedule to its definition. The operator's pause is kept.
 * @returns whether an update was needed
 */
async function renewSchedule(client: Client, schedule: Schedule): Promise<boolean> {
  const options = optionsOf(schedule);
  const handle = client.schedule.getHandle(options.scheduleId);
  if (isAsWritten(await describeSchedule(client, schedule.id), schedule)) return false;
  await handle.update(({ state }) => ({
    spec: options.spec,
    action: options.action,
    policies: options.policies,
    state: { paused: state.paused, note: state.paused ? state.note : options.state?.note },
  }));
  return true;
}

/** Whether a schedule in Temporal equals its definition. */
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
    action.staticSummary === schedule.note &&
    policies.overlap === POLICIES.overlap &&
    policies.catchupWindow === POLICIES.catchupWindow &&
    (state.paused || state.note === schedule.note)
  );
}
