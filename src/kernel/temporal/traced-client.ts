import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { presentTrace, withinSpan } from '../tracing/trace';
import { TRACE_HEADER } from './trace-header';

/** Starts and signals workflows in spans, and gives a new workflow the trace of its command. */
export const tracedCalls: WorkflowClientInterceptor = {
  start: (input, next) =>
    called('start', input.workflowType, () => next({ ...input, headers: withTrace(input.headers) })),
  signalWithStart: (input, next) =>
    called('look', input.workflowType, () => next({ ...input, headers: withTrace(input.headers) })),
};

const called = <T>(action: string, workflow: string, call: () => Promise<T>): Promise<T> =>
  withinSpan(
    { kind: 'client', name: `${action} ${workflow}`, attributes: { 'cardwright.workflow_type': workflow } },
    call,
  );

function withTrace(headers: Headers): Headers {
  const trace = presentTrace();
  return trace === undefined
    ? headers
    : { ...headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(trace) };
}
