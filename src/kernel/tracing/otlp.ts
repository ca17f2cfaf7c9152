import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  SpanKind as OtelKind,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  RandomIdGenerator,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { version } from '../../../package.json';
import type { EndedSpan, NewSpan, Span, SpanKind, Tracer } from './trace';
import { readTraceparent, traceparentOf } from './traceparent';

/** Loaded only where traces are on, because it loads the SDK of OpenTelemetry. */

const KINDS: Record<SpanKind, OtelKind> = {
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  work: OtelKind.INTERNAL,
};

export interface TracingOptions {
  /** Base URL of a collector, which receives OTLP over HTTP as JSON at `/v1/traces`. */
  endpoint: string;
  role: string;
  /** For tests. Default: sends to the endpoint. */
  exporter?: SpanExporter;
}

export interface Tracing extends Tracer {
  /** Exports what waits. */
  flush(): Promise<void>;
  /** Exports what waits, and ends. */
  stop(): Promise<void>;
}

/**
 * Creates a tracer that sends spans in batches. At most 2,048 spans wait; further ones are lost, and no request ever waits for the
 * collector. The SDK itself reads `OTEL_TRACES_SAMPLER` and the other standard variables.
 */
export function createTracing({ endpoint, role, exporter }: TracingOptions): Tracing {
  const sent = exporter ?? new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  let wantedSpanId: string | undefined;
  const ids = new RandomIdGenerator();
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'cardwright',
      'service.version': version,
      'cardwright.role': role,
    }),
    idGenerator: {
      generateTraceId: () => ids.generateTraceId(),
      generateSpanId: () => wantedSpanId ?? ids.generateSpanId(),
    },
    spanProcessors: [new BatchSpanProcessor(sent)],
  });
  const tracer = provider.getTracer('cardwright', version);
  const present = new AsyncLocalStorage<Context | undefined>();

  const start = ({ kind, name, attributes = {} }: NewSpan, parent: Context, startTime?: Date): OtelSpan =>
    tracer.startSpan(name, { kind: KINDS[kind], attributes, ...(startTime ? { startTime } : {}) }, parent);

  async function run<T>(
    span: OtelSpan,
    parent: Context,
    work: (span: Span | undefined) => Promise<T>,
  ): Promise<T> {
    // Below a span that is not sampled nothing is recorded, and nothing is stored.
    if (!span.isRecording()) return present.run(undefined, () => work(undefined));
    const told: Span = {
      set({ name, attributes = {} }) {
        if (name !== undefined) span.updateName(name);
        span.setAttributes(attributes);
      },
    };
    try {
      return await present.run(trace.setSpan(parent, span), () => work(told));
    } catch (error) {
      // The message and the stack stay out, because both may quote a person's entries.
      span.setAttribute('error.type', error instanceof Error ? error.name : 'Error');
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  return {
    present() {
      const context = present.getStore();
      const span = context && trace.getSpanContext(context);
      return span && traceparentOf({ ...span, sampled: true });
    },
    within(span, work) {
      const parent = present.getStore();
      return parent ? run(start(span, parent), parent, work) : work(undefined);
    },
    begin(span, caller, work) {
      const parent = contextOf(caller) ?? ROOT_CONTEXT;
      return run(start(span, parent), parent, work);
    },
    continued(traceparent, work) {
      const isRecorded = readTraceparent(traceparent ?? '')?.sampled === true;
      return present.run(isRecorded ? contextOf(traceparent ?? '') : undefined, work);
    },
    ended(span: EndedSpan) {
      const parent = contextOf(span.parent);
      if (!parent) return;
      wantedSpanId = span.spanId;
      const made = start(span, parent, span.from);
      wantedSpanId = undefined;
      if (span.failed) made.setStatus({ code: SpanStatusCode.ERROR });
      made.end(span.to);
    },
    flush: () => provider.forceFlush(),
    stop: () => provider.shutdown(),
  };
}

/** @returns undefined for a text that is no traceparent */
function contextOf(traceparent: string): Context | undefined {
  const found = readTraceparent(traceparent);
  if (!found) return undefined;
  const { traceId, spanId, sampled } = found;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
