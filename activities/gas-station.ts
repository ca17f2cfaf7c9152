import { orderAutoSweeps } from '../src/chain/gas-station/auto-sweep';
import { advanceGasOperation, type Progress } from '../src/chain/gas-station/operations/steps/advance';
import type { Composed } from '../src/composition';

export interface GasStationActivities {
  /** The one step of a sweep or a top-up: run twice, it has run once. */
  advanceGasOperation(operationId: string): Promise<Progress>;
  /** Orders what is to be swept on chains whose station works by itself. @returns how many operations were made */
  orderAutoSweeps(): Promise<number>;
}

export function createGasStationActivities(services: Composed): GasStationActivities {
  return {
    advanceGasOperation: (operationId) => advanceGasOperation(services, operationId),
    orderAutoSweeps: () => orderAutoSweeps(services),
  };
}
