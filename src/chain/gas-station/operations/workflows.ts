import { reconcilable } from '../../../process/overdue';
import { processOfRecord } from '../../../process/workflow-command';
import type { GasOperation } from './record';
import { overdueGasOperations } from './store';

const process = processOfRecord({
  workflow: 'gasOperation',
  prefix: 'gas-operation-',
  summary: 'Sweep or gas top-up',
});

/** Operations belong to the operator, so they have no tenant. */
const driven = ({ id }: Pick<GasOperation, 'id'>) => ({ id, tenantId: null });

export const startGasOperation = (operation: Pick<GasOperation, 'id'>) => process.start(driven(operation));
export const lookAtGasOperation = (operation: Pick<GasOperation, 'id'>) => process.look(driven(operation));

/** Overdue operations. The reconciler starts their workflows again when Temporal has lost them. */
export const gasOperationProcesses = reconcilable({
  name: 'gas operations',
  processes: [process],
  overdue: overdueGasOperations,
  drive: startGasOperation,
});
