import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector receives it. */
export interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  attributes: Record<string, string>;
  failed: boolean;
}

export interface Collector {
  /** Value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans: ReceivedSpan[];
  /** Every byte that arrived, to search for what must not be there. */
  text(): string;
  close(): Promise<void>;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

interface OtlpSpan extends Omit<ReceivedSpan, 'attributes' | 'failed'> {
  attributes: Attribute[];
  status?: { code?: number };
}

interface OtlpRequest {
  resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[];
}

const ERROR = 2;

/** Starts a collector that takes OTLP over HTTP as JSON, and nothing else. */
export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const texts: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const isOtlp = request.url === '/v1/traces' && request.headers['content-type'] === 'application/json';
      if (!isOtlp) return void response.writeHead(415).end();
      const text = Buffer.concat(chunks).toString();
      texts.push(text);
      for (const { scopeSpans } of (JSON.parse(text) as OtlpRequest).resourceSpans)
        spans.push(...scopeSpans.flatMap((scope) => scope.spans).map(receivedOf));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => texts.join('\n'),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const receivedOf = ({ attributes, status, ...span }: OtlpSpan): ReceivedSpan => ({
  name: span.name,
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId,
  kind: span.kind,
  attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])])),
  failed: status?.code === ERROR,
});

/** Whether a span is below another, at any depth. */
export function isBelow(span: ReceivedSpan, above: ReceivedSpan, all: readonly ReceivedSpan[]): boolean {
  if (span.parentSpanId === above.spanId) return true;
  const parent = all.find(({ spanId }) => spanId === span.parentSpanId);
  return parent !== undefined && isBelow(parent, above, all);
}
