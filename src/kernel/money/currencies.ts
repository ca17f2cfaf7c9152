/**
 * ISO 4217 currencies by minor units, and the crypto assets that every installation has. Kept here as data, because
 * `Intl` gives HUF no decimals and the npm lists lack the newest codes. The native coins of networks are data of the
 * installation (`kernel/ledger/coins`), and a process learns them from Postgres.
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

/** Codes of ISO 4217 that are no currency of the ledger: metals, funds, units of account, testing and none. */
const ISO_OTHERS = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX';

/** The crypto assets that every installation has. */
const ASSETS: readonly string[] = ['USDT', 'USDC', 'ETH'];

const minorUnits = new Map<string, number>(TWO_DECIMALS.split(' ').map((code) => [code, 2]));
for (const [units, codes] of Object.entries(OTHERS)) {
  for (const code of codes.split(' ')) minorUnits.set(code, Number(units));
}

const iso4217 = new Set(
  [...minorUnits.keys(), ...ISO_OTHERS.split(' ')].filter((code) => !ASSETS.includes(code)),
);

/** Whether every installation has the asset, without a row in Postgres. */
export const isBuiltIn = (code: string): boolean => ASSETS.includes(code);

/** Whether the code belongs to ISO 4217. No coin or token has such a symbol. */
export const isIso4217 = (code: string): boolean => iso4217.has(code);

/** Whether the code is a fiat currency. */
export const isFiat = (code: string): boolean => isCurrency(code) && isIso4217(code);

/** Whether the code is a crypto asset: one that every installation has, or a coin of a network. */
export const isAsset = (code: string): boolean => isCurrency(code) && !isIso4217(code);

export function isCurrency(code: string): boolean {
  return minorUnits.has(code);
}

/** Number of decimals of a currency: USD 2, JPY 0, USDT 6. @throws RangeError for an unknown currency */
export function decimalsOf(currency: string): number {
  const decimals = minorUnits.get(currency);
  if (decimals === undefined) throw new RangeError(`unknown currency ${currency}`);
  return decimals;
}

/** Lists the currencies that the process knows now, sorted. */
export const allCurrencies = (): string[] => [...minorUnits.keys()].sort();

/** A network's native coin as a currency of the ledger. */
export interface Coin {
  symbol: string;
  decimals: number;
}

/** Symbols that a coin may have. */
export const COIN_SYMBOL = /^[A-Z][A-Z0-9]{1,9}$/;

/** Why the ledger cannot have such a coin. Undefined: nothing forbids it. */
export function coinRefusal({ symbol, decimals }: Coin): { in: keyof Coin; why: string } | undefined {
  if (!COIN_SYMBOL.test(symbol))
    return { in: 'symbol', why: 'must have 2 to 10 upper-case letters and digits, and begin with a letter' };
  if (isIso4217(symbol)) return { in: 'symbol', why: 'must not be a currency code of ISO 4217' };
  const known = minorUnits.get(symbol) ?? decimals;
  if (known !== decimals)
    return { in: 'decimals', why: `must be ${known}, because the ledger knows ${symbol} with these` };
  return undefined;
}

/**
 * Makes a stored coin known to the process. Only `kernel/ledger/coins` calls it, with rows of Postgres.
 * @throws RangeError when the process knows the symbol otherwise
 */
export function learnCoin(coin: Coin): void {
  const refusal = coinRefusal(coin);
  if (refusal) throw new RangeError(`the coin ${coin.symbol}: ${refusal.in} ${refusal.why}`);
  minorUnits.set(coin.symbol, coin.decimals);
}
