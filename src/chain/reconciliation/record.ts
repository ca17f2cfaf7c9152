import type { Decimal } from '../../kernel/money/money';
import type { OwnTransaction } from '../gas-station/own-transactions';
import type { ChainPlace } from '../holdings/record';

/** The balance of a place on a chain and our books at the same moment. Amounts are exact, in the asset. */
export interface Compared {
  place: ChainPlace;
  /** A symbol of the network, or of its native coin. */
  asset: string;
  /** Sum of the place's balances after the block. */
  reported: Decimal;
  /** Balance by our books. Negative when they have let more go than arrived. */
  booked: Decimal;
  /** Known amount on the chain at that block that is not booked; see rules.ts. */
  unbooked: Decimal;
  /** `reported` − `booked` − `unbooked`. */
  difference: Decimal;
}

/** A stored comparison. */
export interface ChainReading extends Omit<Compared, 'difference'> {
  chain: string;
  blockNumber: number;
  readAt: Date;
  /** Null when chain and books agree. */
  differsSince: Date | null;
}

/** One snapshot of our books on a chain, and of the known amounts that are not booked. */
export interface ChainBooks {
  addresses: Readonly<Record<ChainPlace, readonly string[]>>;
  /** By place and asset ({@link sumKey}). */
  booked: ReadonlyMap<string, Decimal>;
  unbooked: ReadonlyMap<string, Decimal>;
  transactions: readonly OwnTransaction[];
}
