import type { Decimal } from '../../kernel/money/money';
import { PartyAway } from '../../process/party-errors';
import type { Rate, Snapshot } from './snapshot';

export type { Rate } from './snapshot';

/** A row that is not used. */
export interface DroppedRate {
  /** A known currency. */
  currency: string;
  /** `unreadable`: no bid and ask. `not_positive`: zero or negative. `crossed`: the bid exceeds the ask. */
  reason: 'unreadable' | 'not_positive' | 'crossed';
}

export interface ReadRates {
  snapshot: Snapshot;
  dropped: DroppedRate[];
}

/** The party's answer holds no readable rates. */
export class UnreadableRates extends PartyAway {
  override name = 'UnreadableRates';
  constructor() {
    super('the party gave rates that cannot be read');
  }
}

/** An outside party that quotes rates. */
export interface RateSource {
  /** All present rates of the party, within seconds. @throws PartyAway; UnreadableRates */
  read(): Promise<ReadRates>;
}

/** Rates for the domains, from memory. */
export interface Rates {
  /**
   * The rate at which a client may exchange. It makes no request, so callers may hold locks.
   * @throws Problem 503 `unavailable` without a fresh rate of the pair; 403 `capability_disabled` while the party is
   * off
   */
  rate(from: string, to: string): Rate;
  /**
   * The middle worth of one unit of `from` in `to`, for converting decided amounts and for sums. It works while the
   * party is switched off, because no client exchanges at it. It makes no request.
   * @returns undefined without a fresh rate of the pair
   */
  worth(from: string, to: string): Decimal | undefined;
  /**
   * All rates of one moment, fresh enough to use. It makes no request.
   * @throws Problem 503 `unavailable` without fresh rates; 403 `capability_disabled` while the party is off
   */
  snapshot(): Snapshot;
  /**
   * Asks the party once where the rates are missing or old, as in a new process. Never call it while rows are locked. A
   * failure shows in {@link Rates.rate}.
   */
  ready(): Promise<void>;
}

/** Rates that refresh in the background between {@link RefreshedRates.start} and {@link RefreshedRates.stop}. */
export interface RefreshedRates extends Rates {
  start(): void;
  stop(): Promise<void>;
}
