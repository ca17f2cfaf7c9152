import type { Decimal } from '../../../kernel/money/money';
import type { Part, Transfer } from '../record';

/**
 * Gives amounts with the party's names our ids of their parts, in the order in which they were first seen. Unknown
 * names come last.
 */
export function underOurIds<T extends { name: string }>(
  parts: readonly Part[],
  reported: readonly T[],
): (T & { part: string })[] {
  const placeOf = ({ name }: T) => {
    const place = parts.findIndex((part) => part.name === name);
    return place < 0 ? parts.length : place;
  };
  return reported
    .map((each) => ({ ...each, place: placeOf(each) }))
    .sort((a, b) => a.place - b.place)
    .map(({ place, ...each }) => ({ ...(each as unknown as T), part: parts[place]?.id ?? each.name }));
}

/** The returns of a word, each under our id. */
export const reportedReturns = ({
  word,
  parts,
}: Pick<Transfer<unknown, { returns: readonly { id: string; amount: Decimal }[] }>, 'word' | 'parts'>) =>
  underOurIds(
    parts,
    (word?.returns ?? []).map(({ id, amount }) => ({ name: id, amount })),
  ).map(({ part, amount }) => ({ part, amount }));
