import { reconcilable } from '../../../process/overdue';
import { processOfRecord } from '../../../process/workflow-command';
import type { GasOperation } from './record';
import { overdueGasOperations } from './store';

const process = processOfRecord({
  workflow: 'gasOperation',
  prefix: 'gas-operation-',
  summary: 'Sweep or gas top-up',
});

/** They are nobody's: the operator's own. */
const driven = ({ id }: Pick<GasOperation, 'id'>) => ({ id, tenantId: null });

export const startGasOperation = (operation: Pick<GasOperation, 'id'>) => process.start(driven(operation));
export const lookAtGasOperation = (operation: Pick<GasOperation, 'id'>) => process.look(driven(operation));

/** Operations that should have been looked at: their process is started again when Temporal has lost it. */
export const gasOperationProcesses = reconcilable({
  name: 'gas operations',
  processes: [process],
  overdue: overdueGasOperations,
  drive: startGasOperation,
});
