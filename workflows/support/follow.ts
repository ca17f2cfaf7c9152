import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { Progress } from '../../src/transfers/engine/advance';
import { NOTHING_LEFT } from '../../src/transfers/waits';
import { createAlarm } from './alarm';
import { listenForLooks } from './look-signal';
import { showing } from './status';
import { looksAgain } from './summary';

/** Steps until the workflow continues as new, so that the history stays short. */
const LOOKS_PER_RUN = 200;

/**
 * Repeats the one step of a transfer from its creation until nothing is left to wait for. Between two steps it waits
 * for a signal, or for the time that the step has named. A callback, an entry of the party's list or an operator's
 * decision sends the signal. A workflow that starts again after its end makes one step.
 * @param waits what the transfer waits for in each status, for the operator
 * @param ended the transfer's status, if it ended before its workflow started; a step then follows only a signal
 * @returns the transfer's status
 */
export async function follow(
  id: string,
  advance: (id: string) => Promise<Progress>,
  waits: Readonly<Record<string, string>>,
  ended?: string,
): Promise<string> {
  const looks = listenForLooks();
  const alarm = createAlarm();
  const show = showing(id);
  if (ended !== undefined && !looks.waiting()) {
    show.details(ended, NOTHING_LEFT);
    return ended;
  }
  let shown: string | undefined;
  for (let turn = 1; ; turn += 1) {
    looks.take();
    const { status, open, lookAt, since } = await advance(id);
    const line = open ? (waits[status] ?? `Waits while it is ${status}.`) : NOTHING_LEFT;
    // Each status adds an event to the history, but details do not.
    show[status === shown ? 'details' : 'status'](status, line, { since, next: open ? lookAt : null });
    shown = status;
    if (!open && !looks.waiting()) return status;
    if ((turn >= LOOKS_PER_RUN || workflowInfo().continueAsNewSuggested) && !looks.waiting())
      await continueAsNew(id);
    if (lookAt !== null) alarm.setFor(lookAt, (ms) => looksAgain(line, ms));
    await looks.nextOr(() => lookAt !== null && alarm.rings());
  }
}
