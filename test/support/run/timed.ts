type Timed = <T>(what: 'databases' | 'servers', work: () => Promise<T>) => Promise<T>;

/** Does the work, and tells the report of `npm run test:times` how long it took. */
export const timed: Timed = (what, work) => {
  const times = (globalThis as { testTimes?: { timed: Timed } }).testTimes;
  return times ? times.timed(what, work) : work();
};
