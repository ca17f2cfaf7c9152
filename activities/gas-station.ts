import { orderAutoSweeps } from '../src/chain/gas-station/auto-sweep';
import { advanceGasOperation, type Progress } from '../src/chain/gas-station/operations/steps/advance';
import type { Composed } from '../src/composition';

export interface GasStationActivities {
  /** Takes a sweep or a top-up as far as it goes. Idempotent. */
  advanceGasOperation(operationId: string): Promise<Progress>;
  /**
   * Orders automatic sweeps.
   * @returns how many operations were made
   */
  orderAutoSweeps(): Promise<number>;
}

export function createGasStationActivities(services: Composed): GasStationActivities {
  return {
    advanceGasOperation: (operationId) => advanceGasOperation(services, operationId),
    orderAutoSweeps: () => orderAutoSweeps(services),
  };
}
