import { unavailable } from '../../kernel/errors';
import { Decimal } from '../../kernel/money/money';

/** What one unit of `from` is worth in `to`. Bid: what is paid for it; ask: what it costs. */
export interface Rate {
  from: string;
  to: string;
  bid: Decimal;
  ask: Decimal;
  mid: Decimal;
  asOf: Date;
}

/** An outside party that quotes; nothing for a pair that it does not know. */
export interface RateSource {
  quote(from: string, to: string): Promise<Rate | undefined>;
}

/** What the domains are given: rates that are fresh enough to deal on. */
export interface Rates {
  /** @throws Problem 503 `unavailable` when the pair has no rate, or only one that is too old */
  rate(from: string, to: string): Promise<Rate>;
}

const MAX_AGE_SECONDS = 60;
const ONE = new Decimal(1);

/** @param options.maxAgeSeconds a rate older than this is not dealt on: 60 s by default */
export function createRates(
  source: RateSource,
  options: { now?: () => Date; maxAgeSeconds?: number } = {},
): Rates {
  const { now = () => new Date(), maxAgeSeconds = MAX_AGE_SECONDS } = options;
  return {
    async rate(from, to) {
      const at = now();
      if (from === to) return { from, to, bid: ONE, ask: ONE, mid: ONE, asOf: at };
      const quoted = await source.quote(from, to);
      if (!quoted) throw unavailable(`There is no rate from ${from} to ${to}.`);
      if (at.getTime() - quoted.asOf.getTime() > maxAgeSeconds * 1000) {
        throw unavailable(`The rate from ${from} to ${to} is too old to deal on.`);
      }
      return quoted;
    },
  };
}
