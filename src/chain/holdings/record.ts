import type { Decimal } from '../../kernel/money/money';

/** Where our money stands on a chain. The names are the prefixes of ledger accounts (`pool@local:USDT`). */
export const CHAIN_PLACES = ['pool', 'station', 'treasury'] as const;
export type ChainPlace = (typeof CHAIN_PLACES)[number];

/** The change that one cause makes to an asset at one of our addresses. */
export interface HoldingChange {
  chain: string;
  /** Id of a deposit or an operation, name of a transfer to a station, or hash of a reverted transaction. */
  cause: string;
  address: string;
  place: ChainPlace;
  /** Ledger currency. */
  asset: string;
  /** On the chain, exact, in the asset. Negative when money has left. Zero when the chain no longer has the cause. */
  amount: Decimal;
  /** In the books: the amount rounded to the ledger's decimals. Zero before it is booked. */
  booked: Decimal;
  /** The part of the amount that a sweep leaves there, because nobody has cleared it. Default: zero. */
  withheld?: Decimal;
  blockNumber: number;
}

/** Key of a sum by place and asset. */
export const sumKey = (place: ChainPlace, asset: string): string => `${place}:${asset}`;
