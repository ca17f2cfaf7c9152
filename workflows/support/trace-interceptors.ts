import type { Headers, Payload } from '@temporalio/common';
import {
  ContinueAsNew,
  proxySinks,
  type WorkflowInterceptorsFactory,
  workflowInfo,
} from '@temporalio/workflow';
import { TRACE_HEADER, type TraceSinks } from '../../src/kernel/temporal/trace-header';

/**
 * Hands the trace header of a workflow's start on to its activities and its next run. Without the header nothing happens. The
 * header is in the history, no random number is drawn and no command is added, so replays stay the same. A later signal does not change
 * the trace: a workflow belongs to the request that started it.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let header: Payload | undefined;
  const handedOn = <Input extends { headers: Headers }>(input: Input): Input =>
    header ? { ...input, headers: { ...input.headers, [TRACE_HEADER]: header } } : input;

  function tellEnd(failed: boolean): void {
    if (!header) return;
    const { traces } = proxySinks<TraceSinks>();
    traces.ended({ header, startedAt: workflowInfo().runStartTime.getTime(), failed });
  }

  return {
    inbound: [
      {
        async execute(input, next) {
          header = input.headers[TRACE_HEADER];
          try {
            const result = await next(input);
            tellEnd(false);
            return result;
          } catch (error) {
            if (!(error instanceof ContinueAsNew)) tellEnd(true);
            throw error;
          }
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(handedOn(input)),
        scheduleLocalActivity: (input, next) => next(handedOn(input)),
        continueAsNew: (input, next) => next(handedOn(input)),
      },
    ],
  };
};
