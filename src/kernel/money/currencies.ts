/**
 * ISO 4217 currencies by minor units, and the crypto assets of the product. Kept as data, because `Intl` gives HUF no
 * decimals and the npm lists lack the newest codes.
 */
const TWO_DECIMALS =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF ' +
  'CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ' +
  'IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN ' +
  'MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS ' +
  'SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG';

const OTHERS: Record<string, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
  6: 'USDT USDC',
  18: 'ETH',
};

const minorUnits = new Map<string, number>(TWO_DECIMALS.split(' ').map((code) => [code, 2]));
for (const [units, codes] of Object.entries(OTHERS)) {
  for (const code of codes.split(' ')) minorUnits.set(code, Number(units));
}

/** Crypto assets. */
export const ASSETS = ['USDT', 'USDC', 'ETH'] as const;

/** Whether the code is a fiat currency. */
export const isFiat = (code: string): boolean =>
  isCurrency(code) && !(ASSETS as readonly string[]).includes(code);

export function isCurrency(code: string): boolean {
  return minorUnits.has(code);
}

/** Number of decimals of a currency: USD 2, JPY 0, USDT 6. @throws RangeError for an unknown currency */
export function decimalsOf(currency: string): number {
  const decimals = minorUnits.get(currency);
  if (decimals === undefined) throw new RangeError(`unknown currency ${currency}`);
  return decimals;
}

export const CURRENCIES: readonly string[] = [...minorUnits.keys()].sort();
