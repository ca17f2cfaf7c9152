import { DECIMAL_TEXT, Decimal } from '../money/money';
import { partyVariable } from '../parties';
import { wrongAddress } from './parties';

/** Settings of rates that a file or the ECB's daily reference rates provide, instead of the rates party. */
export type RatesSettings = {
  /** Basis points on either side of a middle rate: half of the distance between bid and ask. */
  halfSpreadBps: Decimal;
} & ({ source: 'file'; path: string } | { source: 'ecb'; url: string });

/** The ECB's file of daily rates. */
export const ECB_DAILY_URL = 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml';

const SOURCES = ['party', 'file', 'ecb'];
const PARTY = partyVariable('rates');

type Environment = Readonly<Record<string, string | undefined>>;

export interface ReadRatesSettings {
  /** Undefined: the rates party, or the sandbox's own rates. */
  ratesSource: RatesSettings | undefined;
  /** A line for each variable that is wrong or contradicts another. */
  wrong: string[];
}

/** Reads `RATES_SOURCE`, `RATES_FILE` or `RATES_ECB_URL`, and `RATES_HALF_SPREAD_BPS`. */
export function readRatesSettings(given: Environment): ReadRatesSettings {
  const { RATES_SOURCE: source = 'party', RATES_FILE: path, RATES_ECB_URL: url = ECB_DAILY_URL } = given;
  const { RATES_HALF_SPREAD_BPS: spread = '0' } = given;
  if (!SOURCES.includes(source))
    return { ratesSource: undefined, wrong: [`RATES_SOURCE: must be one of ${SOURCES.join(', ')}`] };
  const wrong = [
    ...strangersTo(source, given),
    ...(source === 'file' && path === undefined ? ['RATES_FILE: must be given with RATES_SOURCE=file'] : []),
    ...(source === 'ecb' ? wrongAddress('RATES_ECB_URL', url) : []),
    ...(isBasisPoints(spread) ? [] : ['RATES_HALF_SPREAD_BPS: must be a decimal from 0 to 5000']),
  ];
  if (wrong.length > 0 || source === 'party') return { ratesSource: undefined, wrong };
  const halfSpreadBps = new Decimal(spread);
  const ratesSource: RatesSettings =
    source === 'file' ? { source, path: path ?? '', halfSpreadBps } : { source: 'ecb', url, halfSpreadBps };
  return { ratesSource, wrong };
}

const isBasisPoints = (text: string): boolean => DECIMAL_TEXT.test(text) && new Decimal(text).lte(5_000);

/** Errors of variables that belong to another source than the chosen one. */
function strangersTo(source: string, given: Environment): string[] {
  const ofParty = [
    PARTY,
    `${PARTY}_URL`,
    `${PARTY}_SECRET`,
    ...(given['RATES'] === 'moving' ? ['RATES'] : []),
  ];
  const strangers: Record<string, string[]> = {
    party: ['RATES_FILE', 'RATES_ECB_URL', 'RATES_HALF_SPREAD_BPS'],
    file: ['RATES_ECB_URL', ...ofParty],
    ecb: ['RATES_FILE', ...ofParty],
  };
  return (strangers[source] ?? [])
    .filter((name) => given[name] !== undefined)
    .map((name) => `${name}: must not be given with RATES_SOURCE=${source}`);
}
