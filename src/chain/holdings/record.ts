import type { Decimal } from '../../kernel/money/money';

/** Where money of ours stands on a chain, as its accounts in the ledger are called (`pool@local:USDT`). */
export const CHAIN_PLACES = ['pool', 'station', 'treasury'] as const;
export type ChainPlace = (typeof CHAIN_PLACES)[number];

/** What one cause changes of an asset at an address of ours. */
export interface HoldingChange {
  chain: string;
  /** The id of a deposit or an operation, the name of a transfer to a station, or the hash of a transaction that was reverted. */
  cause: string;
  address: string;
  place: ChainPlace;
  /** A currency of the ledger. */
  asset: string;
  /** On the chain, exact, in the asset; below zero for what has left. Zero: by now the cause changes nothing there. */
  amount: Decimal;
  /** In the books: the amount rounded to the decimals of the ledger; zero before it is booked. */
  booked: Decimal;
  blockNumber: number;
}

/** A place and an asset, as the key of a sum. */
export const sumKey = (place: ChainPlace, asset: string): string => `${place}:${asset}`;
