import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A balancer before the APIs. It asks each API for its health and gives new connections to the healthy ones in turn. The connections of
 * an API that does not answer are closed.
 */
export interface Balancer {
  url: string;
  /** @param baseUrl of an API */
  add(baseUrl: string): void;
  close(): Promise<void>;
}

interface Target {
  baseUrl: string;
  port: number;
  isHealthy: boolean;
  sockets: Set<Socket>;
}

const EVERY_MS = 500;
const WITHIN_MS = 2_000;

export async function openBalancer(): Promise<Balancer> {
  const targets: Target[] = [];
  let turn = 0;
  const ending = new AbortController();

  const server = createServer((client) => {
    client.on('error', () => client.destroy());
    const healthy = targets.filter(({ isHealthy }) => isHealthy);
    const target = healthy[(turn += 1) % (healthy.length || 1)];
    if (!target) return void client.destroy();
    const upstream = connect(target.port, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        other.destroy();
        target.sockets.delete(one);
      });
      target.sockets.add(one);
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  async function look(target: Target): Promise<void> {
    target.isHealthy = await fetch(`${target.baseUrl}/health`, {
      signal: AbortSignal.timeout(WITHIN_MS),
    }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!target.isHealthy) for (const socket of target.sockets) socket.destroy();
  }
  const watching = (async () => {
    while (!ending.signal.aborted) {
      await Promise.all(targets.map(look));
      await sleep(EVERY_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  })();

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(baseUrl) {
      targets.push({ baseUrl, port: Number(new URL(baseUrl).port), isHealthy: true, sockets: new Set() });
    },
    async close() {
      ending.abort();
      await watching;
      for (const { sockets } of targets) for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
