import type { By } from '../../process/desk/decision';
import type { Stopping } from '../../process/stops/record';

/** The stop of a decision, which must have a reason. */
export const stoppingOf = ({ decidedBy, reason }: By, at: Date): Stopping => ({
  reason: reason ?? '',
  stoppedBy: decidedBy,
  at,
});
