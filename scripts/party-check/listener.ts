import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What was sent to us, as it came. */
export interface Heard {
  raw: Buffer;
  headers: IncomingHttpHeaders;
  at: Date;
}

export interface Listener {
  /** Where it is reached from this machine. */
  url: string;
  heard: Heard[];
  close(): Promise<void>;
}

/** Somewhere to be called: it keeps what comes and answers 204. */
export async function startListener(port = 0, host = '127.0.0.1'): Promise<Listener> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      heard.push({ raw: Buffer.concat(chunks), headers: request.headers, at: new Date() });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`,
    heard,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
