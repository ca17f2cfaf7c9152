import { type ClosureProgress, closeAtProcessor } from '../cards/closure';
import type { CardServices } from '../services';
import { carryOutOperation } from './carry-out';
import { openOperationOf } from './operations';
import { lookAtOperation } from './workflows';

/**
 * Tells the processor that the card is closed, or is to be; when it confirms, what a client has asked for is completed.
 * @throws PartyAway, PartyRefused as `closeAtProcessor`
 */
export async function closeCardAtProcessor(services: CardServices, cardId: string): Promise<ClosureProgress> {
  const progress = await closeAtProcessor(services, cardId);
  if (progress !== 'confirmed') return progress;
  const operation = await openOperationOf(services.database, cardId, 'close');
  if (!operation) return progress;
  await carryOutOperation(services, operation.id);
  await services.database.transaction((tx) => {
    services.commands.append(tx, [lookAtOperation(operation)]);
    return Promise.resolve();
  });
  return progress;
}
