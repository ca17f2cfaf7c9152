type Timed = <T>(what: 'databases' | 'servers', work: () => Promise<T>) => Promise<T>;

/** Runs the work and reports its duration to `npm run test:times`. */
export const timed: Timed = (what, work) => {
  const times = (globalThis as { testTimes?: { timed: Timed } }).testTimes;
  return times ? times.timed(what, work) : work();
};
