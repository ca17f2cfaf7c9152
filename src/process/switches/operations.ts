import type { Tx } from '../../kernel/db/database';
import { endOff, insertOff, readSwitchedOff, type Switch } from './store';

export { type Switch, type SwitchedOff } from './store';

/** Who switches, when and why. */
export interface Switching {
  at: Date;
  by: string;
  reason: string;
}

/** The present switches that are off, the longest first. */
export const listSwitchedOff = readSwitchedOff;

/**
 * Switches off, in every process within a second: new work is refused, and running work goes on. Idempotent: the first
 * entry stays.
 * @returns whether it was on
 */
export const switchOff = (tx: Tx, what: Switch, { at, by, reason }: Switching): Promise<boolean> =>
  insertOff(tx, { ...what, offAt: at, offBy: by, offReason: reason });

/** Switches on again. @returns since when it was off; undefined where it was on */
export const switchOn = (tx: Tx, what: Switch, switching: Switching): Promise<Date | undefined> =>
  endOff(tx, what, switching);
