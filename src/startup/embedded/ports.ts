import { createServer } from 'node:net';

/**
 * A free TCP port on 127.0.0.1: the wanted one if possible, else any other.
 * @param wanted port of the last run, so that bookmarks and running clients keep working
 */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined && wanted > 0) {
    const port = await probe(wanted);
    if (port !== undefined) return port;
  }
  const port = await probe(0);
  if (port === undefined) throw new Error('No free TCP port on 127.0.0.1.');
  return port;
}

/** Listens for a moment. Undefined when the port is taken or not allowed. */
function probe(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
