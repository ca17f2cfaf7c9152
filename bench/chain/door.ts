import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CountedCalls } from './counted-calls';

/** A second address of a node, which counts what comes. */
export interface Door {
  url: string;
  /** All requests so far. */
  counted(): CountedCalls;
  /** Calls so far by method. */
  methods(): ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Opens a proxy before a node. A request may be a batch of calls. */
export async function openDoor(target: string): Promise<Door> {
  let [requests, calls] = [0, 0];
  const methods = new Map<string, number>();

  async function answerTo(request: IncomingMessage): Promise<string> {
    const body = await text(request);
    const asked = [JSON.parse(body) as { method: string } | { method: string }[]].flat();
    requests += 1;
    calls += asked.length;
    for (const { method } of asked) methods.set(method, (methods.get(method) ?? 0) + 1);
    const headers = { 'content-type': 'application/json' };
    return (await fetch(target, { method: 'POST', headers, body })).text();
  }

  const server = createServer((request, response) => {
    answerTo(request).then(
      (answer) => response.setHeader('content-type', 'application/json').end(answer),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counted: () => ({ requests, calls }),
    methods: () => new Map(methods),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
