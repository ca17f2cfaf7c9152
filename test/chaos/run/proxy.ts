import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy between a process and a server, whose connections break in the ways of a network. */
export interface Proxy {
  port: number;
  /** Closes every connection, without a farewell. New ones are made. */
  cut(): void;
  /** Delivers nothing in either direction for a while, and then everything. New connections wait, too. */
  delay(ms: number): Promise<void>;
  /** Ends the server's side of every connection. The server still gets requests, and nobody answers. */
  halfClose(): void;
  /** Refuses new connections for a while, and closes the present ones. */
  part(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** @param to port of the server on this machine */
export async function openProxy(to: number): Promise<Proxy> {
  const pairs = new Set<readonly [client: Socket, upstream: Socket]>();
  let isParted = false;
  let isDelayed = false;

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (isParted) return void client.resetAndDestroy();
    const upstream = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('data', (chunk: Buffer) => other.writable && other.write(chunk));
      one.on('end', () => other.end());
      one.on('error', () => other.destroy());
      one.on('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
      if (isDelayed) one.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  function cut(): void {
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
  }
  const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  return {
    port: (server.address() as AddressInfo).port,
    cut,
    async delay(ms) {
      isDelayed = true;
      for (const pair of pairs) for (const socket of pair) socket.pause();
      await pass(ms);
      isDelayed = false;
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    halfClose() {
      for (const [client, upstream] of pairs) {
        upstream.pause();
        client.end();
      }
    },
    async part(ms) {
      isParted = true;
      cut();
      await pass(ms);
      isParted = false;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
