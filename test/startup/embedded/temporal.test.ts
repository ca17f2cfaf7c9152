/** @long @isolated kills servers. */
import { rm } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { temporalExecutable } from '../../../src/startup/embedded/temporal/binary';
import {
  type EmbeddedTemporal,
  startTemporal,
  type TemporalOptions,
} from '../../../src/startup/embedded/temporal/server';
import {
  giveOwnPorts,
  kill,
  quietLog,
  startKeeper,
  temporaryFolder,
  toolContext,
} from '../../support/servers';
import { until } from '../../support/until';

let dataDir: string;
let executable: string;
let server: EmbeddedTemporal | undefined;

// Without a download the server must be built from source.
beforeAll(async () => {
  executable = await temporalExecutable(toolContext());
}, 1_200_000);

beforeEach(async () => {
  dataDir = temporaryFolder();
  await giveOwnPorts(dataDir);
});

afterEach(async () => {
  await server?.stop();
  server = undefined;
  await rm(dataDir, { recursive: true, force: true });
});

async function start(searchAttributes: TemporalOptions['searchAttributes'] = { Tenant: 'Keyword' }) {
  server = await startTemporal({ dataDir, executable, searchAttributes, log: quietLog });
  return server;
}

async function withClient<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

function beginWaiting(address: string): Promise<unknown> {
  return withClient(address, (client) =>
    client.workflow.start('waits', { taskQueue: 'nobody', workflowId: 'kept' }),
  );
}

async function statusOfWaiting(address: string): Promise<string> {
  return withClient(address, async (client) => {
    return (await client.workflow.getHandle('kept').describe()).status.name;
  });
}

test('serves its API and its UI, and keeps workflows and ports over a restart', async () => {
  const first = await start();
  await beginWaiting(first.address);
  expect((await fetch(first.uiUrl)).status).toBe(200);
  await first.stop();
  const second = await start();
  expect([second.address, second.uiUrl]).toEqual([first.address, first.uiUrl]);
  expect(await statusOfWaiting(second.address)).toBe('RUNNING');
});

test('a server left behind by a SIGKILL is taken over unchanged', async () => {
  const keeper = await startKeeper('temporal', dataDir, executable);
  await beginWaiting(keeper.address!);
  await expect(start()).rejects.toThrow(`Another process (${keeper.process.pid}) already runs`);
  await kill(keeper.process);
  const taken = await start();
  expect(taken.pid()).toBe(keeper.pid);
  expect(await statusOfWaiting(taken.address)).toBe('RUNNING');
});

test('a killed server is started again at its address with all its workflows', async () => {
  const { address, pid } = await start();
  await beginWaiting(address);
  const before = pid();
  process.kill(before, 'SIGKILL');
  await until(() => pid() !== before);
  expect(await statusOfWaiting(address)).toBe('RUNNING');
});

test('a search attribute that is declared later is registered in the old database, too', async () => {
  await (await start()).stop();
  const { address } = await start({ Tenant: 'Keyword', Status: 'Keyword' });
  const names = await withClient(address, async ({ connection }) => {
    const known = await (connection as Connection).operatorService.listSearchAttributes({
      namespace: 'default',
    });
    return Object.keys(known.customAttributes);
  });
  expect(names.sort()).toEqual(['Status', 'Tenant']);
});
