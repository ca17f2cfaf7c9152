import type { Decimal } from '../../kernel/money/money';
import type { OwnTransaction } from '../gas-station/own-transactions';
import type { TopupsBeside } from '../gas-station/station-topups/beside-books';

/** Where money of ours stands on a chain, as its accounts in the ledger are called (`pool@local:USDT`). */
export const CHAIN_PLACES = ['pool', 'station', 'treasury'] as const;
export type ChainPlace = (typeof CHAIN_PLACES)[number];

/** What stands at a place of a chain, beside our books of the same moment. Amounts are of the asset, exact. */
export interface Compared {
  place: ChainPlace;
  /** A symbol of the network, or its native coin's. */
  asset: string;
  /** The sum of its addresses after the block. */
  reported: Decimal;
  /** By our books; below zero where they have let more go than came. */
  booked: Decimal;
  /** On the chain by that block and not in the books, and known: see rules.ts. */
  unbooked: Decimal;
  /** `reported` less the other two. */
  difference: Decimal;
}

/** A comparison that was kept. */
export interface ChainReading extends Omit<Compared, 'difference'> {
  chain: string;
  blockNumber: number;
  readAt: Date;
  /** null: the chain had what it was to have. */
  differsSince: Date | null;
}

/** Of one moment: what our books have on a chain, and what is known beside them. */
export interface ChainBooks {
  addresses: Readonly<Record<ChainPlace, readonly string[]>>;
  /** By {@link sumKey}. */
  booked: ReadonlyMap<string, Decimal>;
  unbooked: ReadonlyMap<string, Decimal>;
  transactions: readonly OwnTransaction[];
  topups: TopupsBeside;
  /** How far its blocks were read for deposits; nothing where they never were. */
  readTo: { number: number; hash: string } | undefined;
}

export const sumKey = (place: ChainPlace, asset: string): string => `${place}:${asset}`;
