/** Header of a workflow's start and of its activities with the W3C `traceparent`, where traces are on. */
export const TRACE_HEADER = 'traceparent';
