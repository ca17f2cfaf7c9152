import type { GasStationActivities } from '../../activities/gas-station';
import { STATION_QUEUE } from '../../src/kernel/outbox/queues';
import { follow } from '../support/follow';
import { askingParty } from '../support/party-retries';
import { steps } from '../support/steps';

// A signal is not handled while the chain is away, but each attempt looks.
const { advanceGasOperation } = steps<Pick<GasStationActivities, 'advanceGasOperation'>>(
  {
    ...askingParty,
    taskQueue: STATION_QUEUE,
    retry: { ...askingParty.retry, maximumInterval: '1 minute' },
  },
  { advanceGasOperation: (id) => `sign and send ${id}, or ask the chain for its transaction` },
);

/**
 * Leads a sweep or a gas top-up to its end (`gas-operation-<operationId>`): signs and broadcasts it, or waits for a
 * person who does, and follows its transaction until it is final.
 * @returns `completed`, `failed` or `expired`
 */
export async function gasOperation(operationId: string): Promise<string> {
  return follow(operationId, advanceGasOperation, {
    pending: 'Waits to be exported, or for the chain to allow it.',
    awaiting_confirmation: 'Waits to be executed and confirmed.',
    confirming: 'The transaction is on its way.',
  });
}
