import type { Transition } from '../../../src/transfers/engine/record';

/** The lines of a kind's table, one for each status that they lead from. */
export const linesOf = <Status extends string, Trigger extends string>(
  transitions: readonly Transition<Status, Trigger>[],
) => transitions.flatMap(({ from, ...line }) => from.map((each) => ({ ...line, from: each })));
