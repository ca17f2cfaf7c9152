import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy before a node that changes its answers as networks do. */
export interface NodeDouble {
  url: string;
  /** Next calls of a method: `lost` after the node has executed them, `refused` instead. */
  next(method: string, fate: 'lost' | 'refused', times?: number): void;
  /** Whether all calls fail. */
  away(isAway: boolean): void;
  /** How often the method was called. */
  asked(method: string): number;
  /** The requested paths with query, and the authorization headers. */
  askedAt(): string[];
  close(): Promise<void>;
}

interface Call {
  id: number;
  method: string;
}

export async function nodeDouble(target: () => string): Promise<NodeDouble> {
  const fates = new Map<string, { fate: 'lost' | 'refused'; times: number }>();
  const counts = new Map<string, number>();
  const places = new Set<string>();
  let isAway = false;
  const server = createServer((request, response) => {
    const place = [request.url, request.headers.authorization].filter(Boolean).join(' ');
    places.add(place);
    if (isAway) return void response.destroy();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const calls = [JSON.parse(body) as Call | Call[]].flat();
      for (const { method } of calls) counts.set(method, (counts.get(method) ?? 0) + 1);
      const fate = fateOf(calls);
      if (fate === 'refused') {
        const [call] = calls;
        // Providers repeat the requested address.
        const error = { code: -32_000, message: `transaction underpriced (${place})`, data: place };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id: call?.id, error }));
        return;
      }
      void fetch(target(), { method: 'POST', body, headers: { 'content-type': 'application/json' } })
        .then(async (answer) => {
          const text = await answer.text();
          if (fate === 'lost') response.destroy();
          else response.setHeader('content-type', 'application/json').end(text);
        })
        .catch(() => response.destroy());
    });
  });
  function fateOf(calls: readonly Call[]) {
    for (const { method } of calls) {
      const found = fates.get(method);
      if (!found || found.times === 0) continue;
      found.times -= 1;
      return found.fate;
    }
    return undefined;
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: (method, fate, times = 1) => void fates.set(method, { fate, times }),
    away: (value) => {
      isAway = value;
    },
    askedAt: () => [...places],
    asked: (method) => counts.get(method) ?? 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
