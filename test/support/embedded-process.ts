import { startChain } from '../../src/startup/embedded/chain/server';
import { startPostgres } from '../../src/startup/embedded/postgres/server';
import { startTemporal } from '../../src/startup/embedded/temporal/server';

/**
 * Starts one embedded server, prints `{ url | address, pid }` on a line, and waits until it is killed. Its arguments:
 * `postgres|temporal|chain <dataDir> [<executable>]`.
 */
async function main([kind, dataDir, executable]: string[]): Promise<void> {
  const log = { info: () => undefined, warn: () => undefined };
  if (kind === 'postgres') {
    const server = await startPostgres({ dataDir: dataDir!, log });
    console.log(JSON.stringify({ url: server.url, pid: server.pid() }));
  } else if (kind === 'chain') {
    const server = await startChain({ dataDir: dataDir!, executable: executable!, log });
    console.log(JSON.stringify({ url: server.url, pid: server.pid() }));
  } else {
    const searchAttributes = { Tenant: 'Keyword' as const };
    const server = await startTemporal({ dataDir: dataDir!, executable: executable!, searchAttributes, log });
    console.log(JSON.stringify({ address: server.address, pid: server.pid() }));
  }
  setInterval(() => undefined, 60_000);
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
