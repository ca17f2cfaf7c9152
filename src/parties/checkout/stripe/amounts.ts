import { Decimal } from '../../../kernel/money/money';
import { PartyRefused } from '../../../process/party-errors';

/**
 * How many decimals the party counts a currency's minor units by, where it is not two (https://docs.stripe.com/currencies).
 * It is its own list, not ISO 4217: ISK and UGX have two here although their last two digits must be zero, MGA has none.
 */
const DECIMALS = new Map<string, number>([
  ...'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0] as const),
  ...'BHD JOD KWD OMR TND'.split(' ').map((code) => [code, 3] as const),
]);

/** Whole units only, though counted in hundredths. */
const WITHOUT_CENTS = ['ISK', 'UGX'];

const decimalsOf = (currency: string) => DECIMALS.get(currency) ?? 2;

/** The smallest amount that can be asked for, in the party's minor units: three decimals must end in zero. */
function stepOf(currency: string): number {
  if (WITHOUT_CENTS.includes(currency)) return 100;
  return decimalsOf(currency) === 3 ? 10 : 1;
}

/** @throws PartyRefused for an amount that the party cannot count: it is never rounded */
export function toMinorUnits(amount: Decimal, currency: string): number {
  const units = amount.times(new Decimal(10).pow(decimalsOf(currency)));
  if (!units.mod(stepOf(currency)).isZero() || units.gt(Number.MAX_SAFE_INTEGER))
    throw new PartyRefused('amount_not_representable');
  return units.toNumber();
}

/** @param currency in either case: the party writes `eur` */
export function fromMinorUnits(units: number, currency: string): Decimal {
  return new Decimal(units).dividedBy(new Decimal(10).pow(decimalsOf(currency.toUpperCase())));
}
