import { reconcilable } from '../../process/overdue';
import { processOfRecord } from '../../process/workflow-command';
import { overdueOperations } from './store';

const operation = processOfRecord({
  workflow: 'cardOperation',
  prefix: 'card-operation-',
  summary: 'Card operation',
});

export const startOperation = operation.start;
export const lookAtOperation = operation.look;

/** Restarts the workflow of each overdue operation, because Temporal may have lost it. */
export const cardOperationProcesses = reconcilable({
  name: 'card operations',
  processes: [operation],
  overdue: overdueOperations,
  drive: startOperation,
});
