/**
 * Bounds what many calls at once ask of the database: one run of `work` at a time, and the calls that come while one is
 * under way are the next one's. A run begins after each of its calls was made, so it sees what was committed before them.
 * @returns adds an item to the next run and gives that run's result, or its failure
 */
export function gathered<Item, Result>(
  work: (items: Item[]) => Promise<Result>,
): (item: Item) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  let next: { items: Item[]; result: Promise<Result> } | undefined;

  return function add(item) {
    if (next) {
      next.items.push(item);
      return next.result;
    }
    const items = [item];
    const result = last.then(() => {
      next = undefined;
      return work(items);
    });
    next = { items, result };
    last = result.catch(() => undefined);
    return result;
  };
}
