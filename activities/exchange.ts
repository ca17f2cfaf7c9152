import type { Composed } from '../src/composition';
import { inOrder } from '../src/kernel/db/database';
import { forgetDifferences } from '../src/parties/iso20022/reconcile';
import { readSettlement } from '../src/transfers/exchange/settlement/readings';
import { readProcessorBalances } from '../src/transfers/settlement/processor-balances';

export interface ExchangeActivities {
  /** Stores the balances that the exchange and the card processor report now. Repeating it is harmless. */
  readSettlement(): Promise<void>;
}

export function createExchangeActivities(services: Composed): ExchangeActivities {
  return {
    async readSettlement() {
      // An outage of one party does not stop the reading of the other.
      await inOrder([
        readSettlement(services),
        readProcessorBalances(services),
        // The exchange of files compares a bank's balances itself.
        ...(services.bankAccounts.length === 0 ? [forgetDifferences(services)] : []),
      ]);
    },
  };
}
