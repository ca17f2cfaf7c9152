import type { Payload } from '@temporalio/common';
import type { Sinks } from '@temporalio/workflow';

/** Header of a workflow's start and of its activities with the W3C `traceparent`, where traces are on. */
export const TRACE_HEADER = 'traceparent';

/** A run of a workflow that has ended. The worker exports its span. */
export interface EndedRun {
  /** Header of its start. */
  header: Payload;
  startedAt: number;
  failed: boolean;
}

/** How a workflow tells its worker that a run has ended. */
export interface TraceSinks extends Sinks {
  traces: { ended(run: EndedRun): void };
}
