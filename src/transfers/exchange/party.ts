import { capabilityDisabled } from '../../kernel/errors';
import type { Services } from '../../services';

/** Where the exchange tells that an order or a withdrawal has moved. */
export const EXCHANGE_CALLBACKS = '/callbacks/exchange';

/**
 * What needs the exchange itself, and not only rates. Of one that the operator has stopped, what has begun is still read.
 * @throws Problem 403 `capability_disabled`
 */
export async function assertExchange({ switches }: Pick<Services, 'switches'>, reads = false): Promise<void> {
  const state = await switches.party('exchange');
  if (state === 'left_out' || (state === 'stopped' && !reads)) throw capabilityDisabled();
}
