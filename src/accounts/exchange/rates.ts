import { currenciesIn, type Rate, rateIn, rateOfItself, type Snapshot } from '../../parties/rates/snapshot';

export interface RatesAsked {
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * The rates of a snapshot that are listed: the pair; with one currency all pairs from it or to it; with none those of every
 * currency to the base. So a list has at most as many rows as there are currencies, by `from` and then `to`.
 * @returns nothing for a currency that the snapshot has no rate of
 */
export function ratesListed(snapshot: Snapshot, { from, to }: RatesAsked): Rate[] {
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
