/**
 * Traces, as far as the product itself knows them. Without `OTEL_EXPORTER_OTLP_ENDPOINT` there is no tracer, and each function here
 * is a test of one variable. A trace is of the process, as OpenTelemetry's own is, because it follows a request through functions that
 * receive no services.
 */

/** Kind of a span. `work` stays within the process. */
export type SpanKind = 'server' | 'client' | 'work';

/** Codes, names and counts. Never amounts, texts of people, or values of statements. */
export type Attributes = Record<AttributeName, string | number>;

/** The attributes that spans carry. `test/kernel/tracing/exported.test.ts` refuses others. */
export const ATTRIBUTE_NAMES = [
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'db.system.name',
  'error.type',
  'cardwright.party',
  'cardwright.operation',
  'cardwright.outcome',
  'cardwright.workflow_type',
  'cardwright.workflow_id',
  'cardwright.attempt',
  'cardwright.event',
] as const;
type AttributeName = (typeof ATTRIBUTE_NAMES)[number];

export interface Span {
  /** Sets name and attributes that are known only at the end. */
  set(told: { name?: string; attributes?: Partial<Attributes> }): void;
}

export interface NewSpan {
  kind: SpanKind;
  name: string;
  attributes?: Partial<Attributes>;
}

/** A span that has ended elsewhere: a run of a workflow. */
export interface EndedSpan extends NewSpan {
  /** 16 hexadecimal digits. */
  spanId: string;
  parent: string;
  from: Date;
  to: Date;
  failed: boolean;
}

export interface Tracer {
  /** W3C `traceparent` of the present span. Undefined outside of a trace that is recorded. */
  present(): string | undefined;
  /** Runs the work in a span below the present one. Outside of a trace it only runs the work. */
  within<T>(span: NewSpan, work: (span: Span | undefined) => Promise<T>): Promise<T>;
  /** Runs the work in a span that begins a trace, or continues the trace of a caller. */
  begin<T>(span: NewSpan, caller: string, work: (span: Span | undefined) => Promise<T>): Promise<T>;
  /** Runs the work in the trace of a `traceparent`, or in none. */
  continued<T>(traceparent: string | null | undefined, work: () => T): T;
  /** Exports a span that has ended elsewhere. */
  ended(span: EndedSpan): void;
}

let tracer: Tracer | undefined;

/** Sets the tracer of the process. @returns ends it */
export function useTracer(given: Tracer): () => void {
  tracer = given;
  return () => {
    tracer = undefined;
  };
}

export const isTracing = (): boolean => tracer !== undefined;

export const presentTrace = (): string | undefined => tracer?.present();

/** Fields of a log line within a trace. */
export function traceOfLine(): { traceId?: string } {
  const traceId = presentTrace()?.split('-')[1];
  return traceId === undefined ? {} : { traceId };
}

/** As {@link Tracer.within}. */
export const withinSpan = <T>(span: NewSpan, work: (span?: Span) => Promise<T>): Promise<T> =>
  tracer ? tracer.within(span, work) : work();

/** As {@link Tracer.begin}. */
export const beginTrace = <T>(
  span: NewSpan,
  caller: string,
  work: (span?: Span) => Promise<T>,
): Promise<T> => (tracer ? tracer.begin(span, caller, work) : work());

/** As {@link Tracer.continued}. */
export const continuedTrace = <T>(traceparent: string | null | undefined, work: () => T): T =>
  tracer ? tracer.continued(traceparent, work) : work();

/** As {@link Tracer.ended}. */
export const exportEnded = (span: EndedSpan): void => tracer?.ended(span);
