import type { Decimal } from '../../../kernel/money/money';
import type { Part, Transfer } from '../record';

/**
 * What a word tells under the party’s names, each under our id of that part, in the order in which they were first seen; what
 * never was comes last.
 */
export function underOurIds<T extends { name: string }>(
  parts: readonly Part[],
  told: readonly T[],
): (T & { part: string })[] {
  const placeOf = ({ name }: T) => {
    const place = parts.findIndex((part) => part.name === name);
    return place < 0 ? parts.length : place;
  };
  return told
    .map((each) => ({ ...each, place: placeOf(each) }))
    .sort((a, b) => a.place - b.place)
    .map(({ place, ...each }) => ({ ...(each as unknown as T), part: parts[place]?.id ?? each.name }));
}

/** What has come back of money that went out, each part under our id. */
export const returnsToldIn = ({
  word,
  parts,
}: Pick<Transfer<unknown, { returns: readonly { id: string; amount: Decimal }[] }>, 'word' | 'parts'>) =>
  underOurIds(
    parts,
    (word?.returns ?? []).map(({ id, amount }) => ({ name: id, amount })),
  ).map(({ part, amount }) => ({ part, amount }));
