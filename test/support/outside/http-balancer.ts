import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A balancer of HTTP, as nginx or a cloud's. Each request goes to one of the ready processes in turn. The balancer repeats a request
 * on another process only when the first one has not begun it, because it took no connection or closed an unused one.
 */
export interface HttpBalancer {
  url: string;
  /**
   * Adds a process, which gets requests while it is ready.
   * @param baseUrl where it serves
   * @param healthUrl base URL of its `/health/ready`. Default: where it serves
   */
  add(baseUrl: string, healthUrl?: string): void;
  /** Whether the process gets requests now. */
  isIn(baseUrl: string): boolean;
  /** Requests that no process has answered, with the reasons. */
  lost: string[];
  close(): Promise<void>;
}

const PROBE_MS = 100;
const PROBE_WITHIN_MS = 2_000;
/** A process that answers 503 is out at once. A process without an answer is out after so many probes. */
const MAX_SILENCES = 3;

interface Target {
  baseUrl: string;
  healthUrl: string;
  isReady: boolean;
  /** Probes in a row without an answer. */
  silences: number;
}

/** @returns undefined without an answer */
const probe = (healthUrl: string): Promise<boolean | undefined> =>
  fetch(`${healthUrl}/health/ready`, { signal: AbortSignal.timeout(PROBE_WITHIN_MS) }).then(
    ({ ok }) => ok,
    () => undefined,
  );

/** @param port where it listens. Default: any free one */
export async function startHttpBalancer(port = 0): Promise<HttpBalancer> {
  const targets: Target[] = [];
  const lost: string[] = [];
  const ending = new AbortController();
  const agent = new Agent({ keepAlive: true });
  let turn = 0;

  const server = createServer((incoming, response) => void pass(incoming, response));
  server.keepAliveTimeout = 120_000; // longer than any client's
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const tried = new Set<Target>();
    for (;;) {
      const ready = targets.filter((target) => target.isReady && !tried.has(target));
      const target = ready[(turn += 1) % (ready.length || 1)];
      if (!target) return refuse(incoming, response, 'no process is ready');
      tried.add(target);
      try {
        return await forward(incoming, Buffer.concat(parts), target, response);
      } catch (error) {
        if (!(error instanceof NotBegun))
          return refuse(incoming, response, `${target.baseUrl}: ${String(error)}`);
      }
    }
  }

  function refuse({ method, url }: IncomingMessage, response: ServerResponse, reason: string): void {
    lost.push(`${method} ${url}: ${reason}`);
    response.writeHead(502).end();
  }

  async function forward(
    { method, url = '', headers }: IncomingMessage,
    body: Buffer,
    { baseUrl }: Target,
    response: ServerResponse,
  ): Promise<void> {
    const { connection: _, 'transfer-encoding': __, ...given } = headers;
    const outgoing = request(baseUrl + url, { agent, method, headers: given });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response').catch((error: NodeJS.ErrnoException) => {
      const isUnusedEnd = outgoing.reusedSocket && error.code === 'ECONNRESET';
      throw error.code === 'ECONNREFUSED' || isUnusedEnd ? new NotBegun(error.message) : error;
    })) as [IncomingMessage];
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    const { connection: ___, 'transfer-encoding': ____, ...told } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, told).end(Buffer.concat(parts));
  }

  const probing = (async () => {
    while (!ending.signal.aborted) {
      await Promise.all(
        targets.map(async (target) => {
          const isReady = await probe(target.healthUrl);
          target.silences = isReady === undefined ? target.silences + 1 : 0;
          if (isReady !== undefined || target.silences >= MAX_SILENCES) target.isReady = isReady ?? false;
        }),
      );
      await sleep(PROBE_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  })();

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (baseUrl, healthUrl = baseUrl) =>
      void targets.push({ baseUrl, healthUrl, isReady: false, silences: 0 }),
    isIn: (baseUrl) => targets.some((target) => target.baseUrl === baseUrl && target.isReady),
    lost,
    async close() {
      ending.abort();
      await probing;
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** No process has begun the request. */
class NotBegun extends Error {}
