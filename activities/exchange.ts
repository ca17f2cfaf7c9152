import type { Composed } from '../src/composition';
import { readSettlement } from '../src/transfers/exchange/settlement/readings';

export interface ExchangeActivities {
  /** Keeps what the exchange says now; read twice, it is two readings of the same. */
  readSettlement(): Promise<void>;
}

export function createExchangeActivities(services: Composed): ExchangeActivities {
  return {
    readSettlement: () => readSettlement(services),
  };
}
