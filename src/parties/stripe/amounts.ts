import { Decimal } from '../../kernel/money/money';
import { PartyRefused } from '../../process/party-errors';

/**
 * Decimals of Stripe's minor units, where they are not two (https://docs.stripe.com/currencies). The list differs from
 * ISO 4217: ISK and UGX have two decimals although the last two digits must be zero, and MGA has none.
 */
const DECIMALS = new Map<string, number>([
  ...'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0] as const),
  ...'BHD JOD KWD OMR TND'.split(' ').map((code) => [code, 3] as const),
]);

/** Currencies counted in hundredths that allow whole units only. */
const WITHOUT_CENTS = ['ISK', 'UGX'];

const decimalsOf = (currency: string) => DECIMALS.get(currency) ?? 2;

/** The smallest step of an amount, in Stripe's minor units. Amounts with three decimals must end in zero. */
function stepOf(currency: string): number {
  if (WITHOUT_CENTS.includes(currency)) return 100;
  return decimalsOf(currency) === 3 ? 10 : 1;
}

/** @throws PartyRefused for an amount that Stripe cannot count, because amounts are never rounded */
export function toMinorUnits(amount: Decimal, currency: string): number {
  const units = amount.times(new Decimal(10).pow(decimalsOf(currency)));
  if (!units.mod(stepOf(currency)).isZero() || units.gt(Number.MAX_SAFE_INTEGER))
    throw new PartyRefused('amount_not_representable');
  return units.toNumber();
}

/** @param currency in either case, because Stripe writes `eur` */
export function fromMinorUnits(units: number, currency: string): Decimal {
  return new Decimal(units).dividedBy(new Decimal(10).pow(decimalsOf(currency.toUpperCase())));
}
