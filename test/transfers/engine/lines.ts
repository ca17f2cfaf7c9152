import type { Transition } from '../../../src/transfers/engine/record';

/** The lines of a kind's transition table, one for each source status. */
export const linesOf = <Status extends string, Trigger extends string>(
  transitions: readonly Transition<Status, Trigger>[],
) => transitions.flatMap(({ from, ...line }) => from.map((each) => ({ ...line, from: each })));
