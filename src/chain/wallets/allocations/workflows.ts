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

/** Allocations that should have expired: their process is started again when Temporal has lost it. */
export const allocationProcesses = reconcilable({
  name: 'wallet allocations',
  processes: [allocation],
  overdue: overdueAllocations,
  drive: lookAtAllocation,
});
