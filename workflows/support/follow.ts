import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { Progress } from '../../src/transfers/engine/advance';
import { createAlarm } from './alarm';
import { listenForLooks } from './look-signal';
import { showStatus } from './status';

/** A run that has looked so often goes on in a new one, rather than in a history that grows for months. */
const LOOKS_PER_RUN = 200;

/**
 * Leads a transfer from its creation until it rests. Every step is the same one; between two of them it waits for a reason
 * to look: a signal – a callback, what the party lists, a person's decision – or the time that the step has named. Begun
 * again after the end, it looks once.
 * @param waits what it waits for in each status, as the operator reads it
 * @returns the transfer's status
 */
export async function follow(
  id: string,
  advance: (id: string) => Promise<Progress>,
  waits: Readonly<Record<string, string>>,
): Promise<string> {
  const looks = listenForLooks();
  const alarm = createAlarm();
  let shown: string | undefined;
  for (let turn = 1; ; turn += 1) {
    looks.take();
    const { status, open, lookAt } = await advance(id);
    // Each status that is shown costs an event of history.
    if (status !== shown) showStatus(status, open ? waits[status] : status);
    shown = status;
    if (!open && !looks.waiting()) return status;
    if ((turn >= LOOKS_PER_RUN || workflowInfo().continueAsNewSuggested) && !looks.waiting())
      await continueAsNew(id);
    if (lookAt !== null) alarm.setFor(lookAt);
    await looks.nextOr(() => lookAt !== null && alarm.rings());
  }
}
