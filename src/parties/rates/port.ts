import type { Decimal } from '../../kernel/money/money';
import { PartyAway } from '../../process/party-errors';
import type { Rate, Snapshot } from './snapshot';

export type { Rate } from './snapshot';

/** A row that is not dealt on. */
export interface DroppedRate {
  /** One of the world's. */
  currency: string;
  /** `unreadable`: no bid and ask. `not_positive`: nothing, or less. `crossed`: a bid above the ask. */
  reason: 'unreadable' | 'not_positive' | 'crossed';
}

/** What a party told of its rates, checked. */
export interface ReadRates {
  snapshot: Snapshot;
  dropped: DroppedRate[];
}

/** The party answered, and what it said is no rates. */
export class UnreadableRates extends PartyAway {
  override name = 'UnreadableRates';
  constructor() {
    super('the party gave rates that cannot be read');
  }
}

/** An outside party that quotes. */
export interface RateSource {
  /** All its rates of now, within seconds. @throws PartyAway; UnreadableRates its answer cannot be read */
  read(): Promise<ReadRates>;
}

/** What the domains are given: rates that are fresh enough, out of memory. */
export interface Rates {
  /**
   * To deal on: what a client is quoted. Asks nobody: it may be called while rows are locked.
   * @throws Problem 503 `unavailable` when the pair has no rate, or only one that is too old; 403 `capability_disabled`
   *   while the party is off
   */
  rate(from: string, to: string): Rate;
  /**
   * What one unit of `from` is worth in `to`, at mid: to convert what a scheme has decided, and to count by. No switch stops it,
   * for nobody is dealt with. Asks nobody.
   * @returns nothing when the pair has no rate, or only one that is too old
   */
  worth(from: string, to: string): Decimal | undefined;
  /**
   * Every rate of one moment, fresh enough to deal on: what is listed. Asks nobody.
   * @throws Problem 503 `unavailable` when there is none, or it is too old; 403 `capability_disabled` while the party is off
   */
  snapshot(): Snapshot;
  /**
   * Asks the party once where nothing is known that is fresh enough, as in a process that has just begun. Never while rows
   * are locked. Whether it could be asked, {@link Rates.rate} tells.
   */
  ready(): Promise<void>;
}

/** Kept fresh beside the requests, from {@link RefreshedRates.start} to {@link RefreshedRates.stop}. */
export interface RefreshedRates extends Rates {
  start(): void;
  stop(): Promise<void>;
}
