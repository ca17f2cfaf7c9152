import type { Composed } from '../src/composition';
import { readSettlement } from '../src/transfers/exchange/settlement/readings';

export interface ExchangeActivities {
  /** Stores the balances that the exchange reports now. Repeating it is harmless. */
  readSettlement(): Promise<void>;
}

export function createExchangeActivities(services: Composed): ExchangeActivities {
  return {
    readSettlement: () => readSettlement(services),
  };
}
