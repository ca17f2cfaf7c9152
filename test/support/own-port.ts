import { randomInt } from 'node:crypto';
import { freePort } from '../../src/startup/embedded/ports';

/** Linux gives connections the ports from 32,768 on. Clients of HTTP refuse port 10,080. */
const [FIRST, EACH, WORKERS] = [11_000, 2_000, 10];

/**
 * A free port for a server that starts later or again. Linux gives it to no connection, so that no other test takes it
 * meanwhile. Each of Jest's workers has ports of its own.
 */
export async function ownPort(): Promise<number> {
  const first = FIRST + EACH * (Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS);
  for (;;) {
    const port = first + randomInt(EACH);
    if ((await freePort(port)) === port) return port;
  }
}
