import { randomInt } from 'node:crypto';
import { freePort } from '../../src/startup/embedded/ports';

/** Linux gives connections the ports from 32,768 on. */
const [FIRST, EACH, WORKERS] = [10_000, 2_000, 10];

/**
 * A free port for a server that starts later or again. It is one that Linux gives to no connection, because a connection of
 * another test may take any other port meanwhile. Each of Jest's workers has ports of its own.
 */
export async function ownPort(): Promise<number> {
  const first = FIRST + EACH * (Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS);
  for (;;) {
    const port = first + randomInt(EACH);
    if ((await freePort(port)) === port) return port;
  }
}
