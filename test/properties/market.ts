import { unavailable } from '../../src/kernel/errors';
import { Decimal } from '../../src/kernel/money/money';
import { type RefreshedRates } from '../../src/parties/rates/port';
import { rateIn, rateOfItself, type Snapshot } from '../../src/parties/rates/snapshot';

/** The value of one unit in USD, by epoch. The numbers are awkward, so that rounding matters. */
const WORTH: Record<string, string[]> = {
  EUR: ['1.0837', '1.0791', '1.1', '0.9999'],
  JPY: ['0.0067', '0.00689', '0.00613', '0.01'],
  KWD: ['3.2513', '3.25', '3.3333333', '2.99'],
};
const EPOCHS = 4;

export interface Market {
  rates: RefreshedRates;
  /** Switches to the rates of another epoch. */
  moveTo(epoch: number): void;
}

export function createMarket(): Market {
  let epoch = 0;
  const rateOf = (from: string, to: string) =>
    from === to ? rateOfItself(from, new Date()) : rateIn(snapshotOf(epoch, new Date()), from, to);
  return {
    rates: {
      rate(from, to) {
        const rate = rateOf(from, to);
        if (!rate) throw unavailable();
        return rate;
      },
      worth: (from, to) => rateOf(from, to)?.mid,
      snapshot: () => snapshotOf(epoch, new Date()),
      ready: () => Promise.resolve(),
      start: () => undefined,
      stop: () => Promise.resolve(),
    },
    moveTo: (next) => void (epoch = next % EPOCHS),
  };
}

/** Rates without a spread, because cards use the middle rate only. */
function snapshotOf(epoch: number, asOf: Date): Snapshot {
  const rates = Object.entries(WORTH).map(([currency, worths]) => {
    const worth = new Decimal(worths[epoch] as string);
    return [currency, { bid: worth, ask: worth }] as const;
  });
  return { base: 'USD', asOf, rates: new Map(rates) };
}

/** The rates of the pair in all epochs, calculated independently of the product. */
export function everyRate(from: string, to: string): Decimal[] {
  if (from === to) return [new Decimal(1)];
  const worth = (currency: string, epoch: number) =>
    currency === 'USD' ? '1' : (WORTH[currency]?.[epoch] as string);
  return Array.from({ length: EPOCHS }, (_, epoch) =>
    new Decimal(worth(from, epoch)).dividedBy(worth(to, epoch)).toSignificantDigits(15),
  );
}
