import { Decimal } from '../../../kernel/money/money';
import type { RateSource } from '../port';

/** What one unit is worth in USD in the sandbox: fixed, so that every example and test can be calculated by hand. */
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
};

/** Half of the distance between bid and ask, as a share of mid: 0.1 %. */
const HALF_SPREAD = new Decimal('0.001');

const DECIMALS = 10;

/** Quotes the fixed table, as of now: mid = (from in USD) / (to in USD), rounded half up to ten decimals. */
export function createSandboxRates(now: () => Date = () => new Date()): RateSource {
  return {
    async quote(from, to) {
      const [worth, unit] = [SANDBOX_USD_RATES[from], SANDBOX_USD_RATES[to]];
      if (worth === undefined || unit === undefined) return undefined;
      const mid = new Decimal(worth).dividedBy(unit).toDecimalPlaces(DECIMALS);
      return {
        from,
        to,
        mid,
        bid: mid.times(new Decimal(1).minus(HALF_SPREAD)).toDecimalPlaces(DECIMALS),
        ask: mid.times(new Decimal(1).plus(HALF_SPREAD)).toDecimalPlaces(DECIMALS),
        asOf: now(),
      };
    },
  };
}
