import type { Decimal } from '../../kernel/money/money';
import type { OwnTransaction } from '../gas-station/own-transactions';
import type { ChainPlace } from '../holdings/record';

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
  /** By place and asset. */
  booked: ReadonlyMap<string, Decimal>;
  unbooked: ReadonlyMap<string, Decimal>;
  transactions: readonly OwnTransaction[];
}
