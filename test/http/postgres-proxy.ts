import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy in front of Postgres that can go away, come back, and cut a connection right after a commit was sent. */
export interface PostgresProxy {
  url: string;
  /** Closes every connection and refuses new ones. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** Forwards the next commit to Postgres and drops the answer. With `away`, all later answers are dropped as well. */
  cutNextCommit(options?: { away?: boolean }): void;
  close(): Promise<void>;
}

export async function startProxy(target: string): Promise<PostgresProxy> {
  const to = new URL(target);
  const sockets = new Set<Socket>();
  let cut: { away: boolean } | undefined;
  let server: Server | undefined;

  function relay(client: Socket): void {
    const upstream = connect(Number(to.port), to.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('close', () => upstream.end());
    upstream.on('close', () => client.destroy());
    upstream.pipe(client);
    client.on('data', (bytes) => {
      upstream.write(bytes);
      if (!cut || !bytes.includes('commit\0')) return;
      const { away } = cut;
      cut = undefined;
      upstream.unpipe(client);
      client.destroy();
      upstream.resume();
      // Postgres has answered, so the commit happened, but the answer is dropped.
      if (away) upstream.once('data', () => void goAway());
    });
  }

  async function listen(port: number): Promise<number> {
    const listening = createServer(relay);
    server = listening;
    await new Promise<void>((resolve) => listening.listen(port, '127.0.0.1', resolve));
    return (listening.address() as AddressInfo).port;
  }

  async function goAway(): Promise<void> {
    const closed = new Promise((resolve) => server?.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  const port = await listen(0);
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.toString(),
    goAway,
    comeBack: async () => void (await listen(port)),
    cutNextCommit: ({ away = false } = {}) => {
      cut = { away };
    },
    close: goAway,
  };
}
