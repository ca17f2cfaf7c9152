import { Decimal } from '../../src/kernel/money/money';
import { createRates, type RateSource, type Rates } from '../../src/parties/rates/port';

/** What one unit was worth in USD, epoch by epoch: awkward numbers, so that roundings matter. */
const WORTH: Record<string, string[]> = {
  USD: ['1', '1', '1', '1'],
  EUR: ['1.0837', '1.0791', '1.1', '0.9999'],
  JPY: ['0.0067', '0.00689', '0.00613', '0.01'],
  KWD: ['3.2513', '3.25', '3.3333333', '2.99'],
};
const EPOCHS = 4;
const RATE_DECIMALS = 10;

export interface Market {
  rates: Rates;
  /** Other rates count from now on. */
  moveTo(epoch: number): void;
}

export function createMarket(): Market {
  let epoch = 0;
  const source: RateSource = {
    async quote(from, to) {
      const mid = midRate(from, to, epoch);
      return mid && { from, to, mid, bid: mid, ask: mid, asOf: new Date() };
    },
  };
  return { rates: createRates(source), moveTo: (next) => void (epoch = next % EPOCHS) };
}

function midRate(from: string, to: string, epoch: number): Decimal | undefined {
  const [worth, unit] = [WORTH[from]?.[epoch], WORTH[to]?.[epoch]];
  if (worth === undefined || unit === undefined) return undefined;
  return new Decimal(worth).dividedBy(unit).toDecimalPlaces(RATE_DECIMALS);
}

/** Every rate that the pair ever had. */
export function everyRate(from: string, to: string): Decimal[] {
  if (from === to) return [new Decimal(1)];
  return Array.from({ length: EPOCHS }, (_, epoch) => midRate(from, to, epoch)).filter(
    (rate) => rate !== undefined,
  );
}
