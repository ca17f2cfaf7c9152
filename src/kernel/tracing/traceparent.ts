/** W3C Trace Context, version 00: `00-<trace id>-<span id>-<flags>`. */

export interface TraceContext {
  traceId: string;
  spanId: string;
  sampled: boolean;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const NOTHING = /^0+$/;

/** @returns undefined for a text that is no traceparent */
export function readTraceparent(text: string): TraceContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? [];
  if (traceId === '' || NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const traceparentOf = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

/** The span of a run of a workflow. Each process derives the same id, because no workflow may draw a random one. */
export const spanIdOfRun = (runId: string): string => runId.replaceAll('-', '').slice(-16);

/** The traceparent of a run of a workflow whose start had this one. Undefined for a text that is none. */
export function traceparentOfRun(start: string, runId: string): string | undefined {
  const context = readTraceparent(start);
  return context && traceparentOf({ ...context, spanId: spanIdOfRun(runId) });
}
