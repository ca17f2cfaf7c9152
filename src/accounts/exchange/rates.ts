import { currenciesIn, type Rate, rateIn, rateOfItself, type Snapshot } from '../../parties/rates/snapshot';

export interface RatesAsked {
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * The rates of a snapshot for a list. With both currencies: the pair. With one: all pairs with it on that side. With
 * none: every currency to the base. A list therefore has at most one row per currency, ordered by `from` and `to`.
 * @returns an empty list for a currency without a rate
 */
export function listRates(snapshot: Snapshot, { from, to }: RatesAsked): Rate[] {
  const all = currenciesIn(snapshot);
  const others = (currency: string) => all.filter((each) => each !== currency);
  if (from !== undefined && to !== undefined) return pairs(snapshot, [from], [to]);
  if (from !== undefined) return pairs(snapshot, [from], others(from));
  const target = to ?? snapshot.base;
  return pairs(snapshot, others(target), [target]);
}

const pairs = (snapshot: Snapshot, from: string[], to: string[]): Rate[] =>
  from.flatMap((sold) => to.flatMap((bought) => pairOf(snapshot, sold, bought) ?? []));

function pairOf(snapshot: Snapshot, from: string, to: string): Rate | undefined {
  const rate = rateIn(snapshot, from, to);
  return rate && from === to ? rateOfItself(from, snapshot.asOf) : rate;
}
