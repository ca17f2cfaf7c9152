/** Cuts a list into portions of at most `size`, in its order. */
export const portionsOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, place) =>
    items.slice(place * size, (place + 1) * size),
  );

/** Runs the work for each item, `atOnce` at the same time, and begins in the order of the items. @throws the first failure */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items.entries()].reverse();
  const worker = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await work(next[1]);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
