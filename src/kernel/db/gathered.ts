/**
 * Bounds concurrent queries: one run of `work` at a time. Calls that arrive during a run are gathered into the next
 * one. A run begins after its calls were made, so it sees all that was committed before them.
 * @returns adds an item to the next run and resolves to that run's result
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
