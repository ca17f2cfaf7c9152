import type { AuditActivities } from '../activities/audit';
import { QUEUES } from '../src/kernel/outbox/queues';
import { showTurn } from './support/status';
import { steps } from './support/steps';

/** A retry tells the same heads. The workflow gives up before the next run, which tells the remaining heads. */
const { tellAuditHeads } = steps<AuditActivities>(
  {
    taskQueue: QUEUES.processes,
    startToCloseTimeout: '5 minutes',
    scheduleToCloseTimeout: '50 minutes',
    retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
  },
  { tellAuditHeads: 'tell the head of the audit log outside' },
);

/** Tells the witness the head of the audit chain. A schedule starts it once an hour. */
export async function auditHead(): Promise<void> {
  const told = await tellAuditHeads();
  showTurn(`${told} heads are told.`);
}
