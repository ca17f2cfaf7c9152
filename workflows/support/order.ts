import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { listenForLooks } from './look-signal';
import { askAgainAfter } from './party-retries';
import { showStatus } from './status';

/** How an order of a party is followed. The lines are what the operator reads. */
interface Following {
  /** The one step: asks the party, gives it what it does not know, records its answer. @returns `processing`, `unknown`, or the end */
  advance(id: string): Promise<string>;
  /** The status of the record while the order is open. */
  status: string;
  begins: string;
  processing: string;
  unknown: string;
  /** What is shown at the end; the progress itself when absent. */
  ends?(progress: string): { status: string; details: string };
}

/**
 * Makes the workflow of an order: it asks at growing intervals, and when it is told to look, until the order has ended. No time-out
 * ends an order: only the party's own word does.
 * @returns the workflow, of the record's id and how often the party was asked before this run
 */
export function orderWorkflow({ advance, status, begins, ends, ...waits }: Following) {
  return async (id: string, asked = 0): Promise<string> => {
    const looks = listenForLooks();
    showStatus(status, begins);
    let progress = await advance(id);
    while (progress === 'processing' || progress === 'unknown') {
      showStatus(status, waits[progress]);
      await looks.next(askAgainAfter(asked));
      asked += 1;
      if (workflowInfo().continueAsNewSuggested) await continueAsNew(id, asked);
      progress = await advance(id);
    }
    const end = ends?.(progress) ?? { status: progress, details: progress };
    showStatus(end.status, end.details);
    return progress;
  };
}
