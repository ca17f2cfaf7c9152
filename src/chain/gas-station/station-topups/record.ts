import type { Decimal } from '../../../kernel/money/money';

/** Native coin that arrived at a station in a final block. */
export interface StationTopup {
  id: string;
  chain: string;
  /** Address of the station at that time. */
  address: string;
  txHash: string;
  /** −1, because the native coin leaves no log. */
  ordinal: number;
  fromAddress: string;
  /** Ledger symbol of the native coin. */
  asset: string;
  units: bigint;
  /** Booked amount, rounded down to the ledger's decimals. */
  amount: Decimal;
  /** Source of the money: treasury, pool or another station on that chain, or the operator's own. */
  paidBy: Payer;
  /** Reference of its posting. */
  reference: string;
  blockNumber: number;
  blockHash: string;
  blockAt: Date;
  createdAt: Date;
}

export const PAYERS = ['treasury', 'pool', 'station', 'funding'] as const;
export type Payer = (typeof PAYERS)[number];
