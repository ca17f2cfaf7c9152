import type { Decimal } from '../../kernel/money/money';

/** The balances that a party reports, by currency. Negative where we owe the party. */
export interface SettlementReading {
  /** Time of the balances, by the party's clock. */
  asOf: Date;
  /** A missing currency has a balance of zero. */
  balances: readonly { currency: string; amount: Decimal }[];
}

/** @throws PartyAway the balances are unknown now */
export type ReadBalances = () => Promise<SettlementReading>;
