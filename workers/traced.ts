import { Context } from '@temporalio/activity';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import { TRACE_HEADER, type TraceSinks } from '../src/kernel/temporal/trace-header';
import { continuedTrace, exportEnded, withinSpan } from '../src/kernel/tracing/trace';
import { spanIdOfRun, traceparentOfRun } from '../src/kernel/tracing/traceparent';

/** @returns undefined for a header that holds no text */
function textIn(header: Payload | undefined): string | undefined {
  const value: unknown = header && defaultPayloadConverter.fromPayload(header);
  return typeof value === 'string' ? value : undefined;
}

/** Runs each activity of a traced workflow in a span below the workflow's own. */
export const tracedActivities: ActivityInterceptorsFactory = () => ({
  inbound: {
    execute(input, next) {
      const start = textIn(input.headers[TRACE_HEADER]);
      const { activityType, attempt, workflowExecution } = Context.current().info;
      const parent = start && workflowExecution && traceparentOfRun(start, workflowExecution.runId);
      return continuedTrace(parent, () =>
        withinSpan({ kind: 'work', name: activityType, attributes: { 'cardwright.attempt': attempt } }, () =>
          next(input),
        ),
      );
    },
  },
});

/** Exports the span of each run of a traced workflow when it ends. */
export const traceSinks: InjectedSinks<TraceSinks> = {
  traces: {
    ended: {
      callDuringReplay: false,
      fn({ workflowType, workflowId, runId }, { header, startedAt, failed }) {
        const parent = textIn(header);
        if (parent === undefined) return;
        exportEnded({
          kind: 'work',
          name: workflowType,
          attributes: { 'cardwright.workflow_type': workflowType, 'cardwright.workflow_id': workflowId },
          spanId: spanIdOfRun(runId),
          parent,
          from: new Date(startedAt),
          to: new Date(),
          failed,
        });
      },
    },
  },
};
