/** @long */
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createTemporalClient, type TemporalClient } from '../../../src/kernel/temporal/connection';
import { tellTemporal } from '../../../src/kernel/temporal/send-command';
import { testKeyring } from '../../support/keyring';
import { command } from '../outbox/support';

/** Accepts connections and never answers, as a Temporal that hangs. */
let silent: Server;
let temporal: TemporalClient;
const sockets = new Set<Socket>();

beforeAll(async () => {
  silent = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as { port: number };
  const options = { address: `127.0.0.1:${port}`, namespace: 'default', encrypt: false };
  temporal = createTemporalClient(options, testKeyring());
});
afterAll(async () => {
  await temporal.close();
  for (const socket of sockets) socket.destroy();
  silent.close();
});

it('times out when Temporal accepts connections but does not answer', async () => {
  expect(await temporal.absence()).toMatch(/^TEMPORAL_ADDRESS: Temporal does not answer at 127\.0\.0\.1:/);
  expect(await tellTemporal(temporal.client, command('never-told'))).toMatchObject({ outcome: 'away' });
});

it('calls Temporal without an AsyncLocalStorage, whose first use makes each promise of the process dearer', async () => {
  let stores = 0;
  class Counting extends AsyncLocalStorage<unknown> {
    override run(...given: Parameters<AsyncLocalStorage<unknown>['run']>): never {
      stores += 1;
      return super.run(...given) as never;
    }
  }
  const { connection } = temporal.client;
  Object.assign(connection, { callContextStorage: new Counting() });
  await temporal.absence();
  expect(stores).toBe(0);
});
