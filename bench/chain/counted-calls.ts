import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** undici publishes each request here, with the bytes that it sends. */
const REQUESTS = 'undici:request:create';

export interface CountedCalls {
  requests: number;
  /** Number of JSON-RPC calls. A request may be a batch of calls. */
  calls: number;
}

interface Sent extends CountedCalls {
  /** Bytes of all requests, without headers. */
  bytes: number;
}

/**
 * Counts the calls to a node during the work. The bodies are parsed afterwards, so that counting takes no time of the
 * work.
 */
export async function countedCalls(url: string, work: () => Promise<unknown>): Promise<Sent> {
  const sent: unknown[] = [];
  const note = (message: unknown) => {
    const { request } = message as { request: { origin: unknown; body: unknown } };
    if (String(request.origin) === url) sent.push(request.body);
  };
  subscribe(REQUESTS, note);
  try {
    await work();
  } finally {
    unsubscribe(REQUESTS, note);
  }
  const bodies = sent.map((body) => JSON.parse(String(body)) as unknown);
  const calls = bodies.reduce<number>((sum, body) => sum + (Array.isArray(body) ? body.length : 1), 0);
  const bytes = sent.reduce<number>((sum, body) => sum + Buffer.byteLength(String(body)), 0);
  return { requests: sent.length, calls, bytes };
}
