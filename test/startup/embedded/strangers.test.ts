/** @long @isolated kills servers. */
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { anvilExecutable } from '../../../src/startup/embedded/chain/binary';
import { startChain } from '../../../src/startup/embedded/chain/server';
import { startPostgres } from '../../../src/startup/embedded/postgres/server';
import { temporalExecutable } from '../../../src/startup/embedded/temporal/binary';
import { startTemporal } from '../../../src/startup/embedded/temporal/server';
import { startTestChain } from '../../support/chain';
import {
  giveOwnPorts,
  kill,
  startTestPostgres,
  startTestTemporal,
  temporaryFolder,
  toolContext,
} from '../../support/servers';
import { until } from '../../support/until';

/** Two products on one machine: another server may answer at a server's port. */

interface Kept {
  pid(): number;
  stop(): Promise<void>;
}

let dataDir: string;
let told: string[];
const log = { info: (line: string) => void told.push(line), warn: (line: string) => void told.push(line) };
const opened: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  dataDir = temporaryFolder();
  await giveOwnPorts(dataDir);
  told = [];
});
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Forwards the port to another server as soon as nobody listens there. */
async function standIn(port: number, stranger: number): Promise<Server> {
  const server = createServer((caller) => {
    const called = connect(stranger, '127.0.0.1');
    caller.pipe(called).pipe(caller);
    for (const socket of [caller, called]) socket.on('error', () => undefined);
    caller.once('close', () => called.destroy());
  });
  const listens = () =>
    new Promise<boolean>((resolve) => {
      server.removeAllListeners('listening').removeAllListeners('error');
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
  while (!(await listens())) await sleep(2);
  opened.push(async () => server.close());
  return server;
}

const LONG_ENOUGH_MS = 3_000;

/** Kills the server, and lets another one take its port before the restart. */
async function loseThePort(name: string, kept: Kept, port: number, stranger: number): Promise<void> {
  opened.push(() => kept.stop().catch(() => undefined));
  process.kill(kept.pid(), 'SIGKILL');
  const inItsPlace = await standIn(port, stranger);
  await until(async () => told.some((line) => line.includes('could not be started again')));
  await sleep(LONG_ENOUGH_MS);
  expect(told).not.toContainEqual(`${name} is back`);
  expect(told).not.toContainEqual(expect.stringContaining('password'));
  inItsPlace.close();
  await until(async () => told.includes(`${name} is back`));
  expect(() => process.kill(kept.pid(), 0)).not.toThrow();
}

const portOf = (url: string) => Number(new URL(url).port);

test('does not take another chain at its port for its own', async () => {
  const stranger = await startTestChain();
  opened.push(() => kill(stranger.node));
  const chain = await startChain({ dataDir, executable: anvilExecutable() as string, log });
  await loseThePort('The local chain', chain, portOf(chain.url), portOf(stranger.url));
});

test('does not take another Temporal at its port for its own', async () => {
  const stranger = await startTestTemporal();
  opened.push(() => stranger.stop());
  const executable = await temporalExecutable(toolContext());
  const temporal = await startTemporal({ dataDir, executable, searchAttributes: {}, log });
  await loseThePort(
    ...(['Temporal', temporal] as const),
    ...([portOf(`tcp://${temporal.address}`), portOf(`tcp://${stranger.address}`)] as const),
  );
});

test('does not take another Postgres at its port for its own', async () => {
  const stranger = await startTestPostgres();
  opened.push(() => stranger.stop());
  const postgres = await startPostgres({ dataDir, log });
  await loseThePort('Postgres', postgres, portOf(postgres.url), portOf(stranger.url));
});
