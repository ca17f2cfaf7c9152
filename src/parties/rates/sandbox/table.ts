import { Decimal } from '../../../kernel/money/money';

/** The sandbox's rates in USD. They are fixed, so that examples and tests can be calculated by hand. */
export const SANDBOX_USD_RATES: Readonly<Record<string, string>> = {
  USD: '1',
  EUR: '1.08',
  GBP: '1.27',
  CHF: '1.12',
  JPY: '0.0067',
  CAD: '0.73',
  AUD: '0.66',
  NZD: '0.6',
  CNY: '0.138',
  HKD: '0.128',
  SGD: '0.74',
  INR: '0.0119',
  KRW: '0.00073',
  TWD: '0.031',
  THB: '0.028',
  IDR: '0.000062',
  MYR: '0.22',
  PHP: '0.0175',
  VND: '0.00004',
  AED: '0.2723',
  SAR: '0.2666',
  ILS: '0.27',
  TRY: '0.03',
  KWD: '3.25',
  BHD: '2.65',
  SEK: '0.095',
  NOK: '0.094',
  DKK: '0.145',
  ISK: '0.0072',
  PLN: '0.25',
  CZK: '0.043',
  HUF: '0.0027',
  RON: '0.217',
  BGN: '0.552',
  UAH: '0.025',
  GEL: '0.37',
  KZT: '0.0021',
  BRL: '0.18',
  MXN: '0.055',
  CLP: '0.00108',
  COP: '0.00025',
  ARS: '0.001',
  PEN: '0.27',
  ZAR: '0.055',
  NGN: '0.00065',
  KES: '0.0077',
  EGP: '0.0206',
  MAD: '0.1',
  USDT: '1',
  USDC: '1',
  ETH: '3000',
  // Coins of networks; a process that has no such network drops their rates.
  BNB: '600',
  POL: '0.25',
  AVAX: '20',
};

/** Half of the distance between bid and ask, as a share of the middle: 0.1 %. */
const HALF_SPREAD = new Decimal('0.001');

const ONE = new Decimal(1);

/** How far a moving rate leaves the table, as a share, and the seconds of one cycle. */
const SWING = new Decimal('0.01');
const SWING_SECONDS = 3_600;
/** Seconds between the steps of a moving rate. */
const STEP_SECONDS = 5;

/** Whether the sandbox's rates stand still or move around the table by the clock. */
export type SandboxRates = 'still' | 'moving';

/** A currency's rate against the base, as on the wire. */
export interface QuotedRate {
  bid: string;
  ask: string;
}

/** All rates in USD at that time, without USD itself. */
export function sandboxSnapshot(at: Date, rates: SandboxRates) {
  const entries = Object.entries(SANDBOX_USD_RATES).map(([currency, worth], index) => {
    if (AT_PAR.has(currency)) return [currency, { bid: worth, ask: worth }] as const;
    const middle = new Decimal(worth).times(rates === 'moving' ? movedBy(at, index) : ONE);
    return [currency, quoted(middle)] as const;
  });
  const quotes: Record<string, QuotedRate> = Object.fromEntries(
    entries.filter(([currency]) => currency !== BASE),
  );
  return { base: BASE, asOf: at.toISOString(), rates: quotes };
}

const BASE = 'USD';
/** Stablecoins exchange at par and do not move. */
const AT_PAR = new Set(['USDT', 'USDC']);

const quoted = (middle: Decimal): QuotedRate => ({
  bid: middle.times(ONE.minus(HALF_SPREAD)).toFixed(),
  ask: middle.times(ONE.plus(HALF_SPREAD)).toFixed(),
});

/** A triangle wave over the clock, with a phase for each currency. The same time gives the same rates. */
function movedBy(at: Date, index: number): Decimal {
  const step = Math.floor(at.getTime() / 1000 / STEP_SECONDS) * STEP_SECONDS;
  const place = (step + index * 997) % SWING_SECONDS;
  const half = SWING_SECONDS / 2;
  const share = new Decimal(Math.abs(place - half)).dividedBy(half).times(2).minus(1);
  return ONE.plus(SWING.times(share).toDecimalPlaces(8));
}
