import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { listenForLooks } from './look-signal';
import { askAgainAfter } from './party-retries';
import { showing } from './status';
import { looksAgain } from './summary';

/** How a workflow follows an order at a party. The operator reads the lines in Temporal's UI. */
interface Following {
  /**
   * The one step: asks the party, repeats an order that the party does not know, and records the answer.
   * @returns `processing`, `unknown`, or the final status
   */
  advance(id: string): Promise<string>;
  /** The status of the record while the order is open. */
  status: string;
  begins: string;
  processing: string;
  unknown: string;
  /** The operator's line at the end. Default: the final status. */
  ends?(progress: string): { status: string; details: string };
}

/**
 * Makes the workflow of an order. It repeats the step at growing intervals, and after a signal, until the order has
 * ended. No time-out ends an order: only the party's decision does.
 * @returns a workflow that takes the record's id, and how often the party was asked before this run
 */
export function orderWorkflow({ advance, status, begins, ends, ...waits }: Following) {
  return async (id: string, asked = 0): Promise<string> => {
    const looks = listenForLooks();
    const show = showing(id);
    show.status(status, begins);
    let progress = await advance(id);
    while (progress === 'processing' || progress === 'unknown') {
      const ms = askAgainAfter(asked);
      show.status(status, waits[progress], { next: Date.now() + ms });
      await looks.within(ms, looksAgain(waits[progress], ms));
      asked += 1;
      if (workflowInfo().continueAsNewSuggested) await continueAsNew(id, asked);
      progress = await advance(id);
    }
    const end = ends?.(progress) ?? { status: progress, details: 'Decided: nothing is left to wait for.' };
    show.status(end.status, end.details);
    return progress;
  };
}
