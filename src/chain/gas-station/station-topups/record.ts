import type { Decimal } from '../../../kernel/money/money';

/** Native coin that has come to a station, in a block that is final. */
export interface StationTopup {
  id: string;
  chain: string;
  /** The station's, as it was then. */
  address: string;
  txHash: string;
  /** −1: the native coin leaves no log. */
  ordinal: number;
  fromAddress: string;
  /** The native coin, as the ledger calls it. */
  asset: string;
  units: bigint;
  /** What was booked: rounded down to the ledger's decimals. */
  amount: Decimal;
  /** Whose it was: of the treasury, the pool or another station on that chain, or an operator's own. */
  paidBy: Payer;
  /** Of its posting. */
  reference: string;
  blockNumber: number;
  blockHash: string;
  blockAt: Date;
  createdAt: Date;
}

export const PAYERS = ['treasury', 'pool', 'station', 'funding'] as const;
export type Payer = (typeof PAYERS)[number];
