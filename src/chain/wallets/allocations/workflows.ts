import { reconcilable } from '../../../process/overdue';
import { processOfRecord } from '../../../process/workflow-command';
import { overdueAllocations } from './store';

const allocation = processOfRecord({
  workflow: 'walletAllocation',
  prefix: 'wallet-allocation-',
  summary: 'Allocation of a wallet',
});

export const startAllocation = allocation.start;
export const lookAtAllocation = allocation.look;

/** Overdue allocations. The reconciler starts their workflows again when Temporal has lost them. */
export const allocationProcesses = reconcilable({
  name: 'wallet allocations',
  processes: [allocation],
  overdue: overdueAllocations,
  drive: lookAtAllocation,
});
