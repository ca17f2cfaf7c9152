import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { type Composed, createDesk, createServices, stopBesideApi } from '../../src/composition';
import type { PartySettings } from '../../src/kernel/config/parties';
import { createDatabase } from '../../src/kernel/db/database';
import { DatabaseAway } from '../../src/kernel/db/faults';
import { PARTIES, partyVariable } from '../../src/kernel/parties';
import { openKeyring } from '../../src/kernel/security/installation-keys';
import type { Keyring } from '../../src/kernel/security/keyring';
import type { DeskOptions } from '../../src/startup/wiring';
import { masterKeysOf, testKeyring } from './keyring';

export interface TestDesk {
  url: string;
  close(): Promise<void>;
}

/** Starts the desk's real listener on the services of a test. */
export async function testDesk(services: Composed, options: Partial<DeskOptions> = {}): Promise<TestDesk> {
  const handle = createDesk(services, { observe: () => undefined, ...options }).callback();
  const server: Server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The parties that an environment leaves out. */
const leftOutIn = (environment: NodeJS.ProcessEnv): PartySettings =>
  Object.fromEntries(
    PARTIES.filter((party) => environment[partyVariable(party)] === 'off').map((party) => [party, 'off']),
  );

interface OpenDesk {
  desk: TestDesk;
  close(): Promise<void>;
}

/** The desks of a test file. Composing one for each command would cost a tenth of a second of processor time. */
const opened = new Map<string, Promise<OpenDesk>>();

async function closeDesks(): Promise<void> {
  for (const each of opened.values()) await (await each).close();
  opened.clear();
}
// Registered when a test file imports this, so it runs before the file drops its database. `npm run chaos` has no jest.
if ('afterAll' in globalThis) afterAll(closeDesks);

/** Runs with a desk on the database and the key of an environment of the command line, as `npm start` would have one. */
export async function withDesk<T>(
  environment: NodeJS.ProcessEnv,
  run: (environment: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  const {
    DATABASE_URL: url,
    MASTER_KEYS: keys,
    DESK_URL,
    MODE,
    DOCUMENTS_FOLDER,
    TEMPORAL_UI_URL,
  } = environment;
  if (url === undefined || keys === undefined || DESK_URL !== undefined) return run(environment);
  const place: Place = {
    url,
    keys,
    mode: MODE === 'live' ? 'live' : 'sandbox',
    documents: DOCUMENTS_FOLDER,
    ui: TEMPORAL_UI_URL,
    partySettings: leftOutIn(environment),
  };
  const name = JSON.stringify(place);
  const open = opened.get(name) ?? openDesk(place);
  opened.set(name, open);
  return run({ ...environment, DESK_URL: (await open).desk.url });
}

interface Place {
  url: string;
  keys: string;
  mode: 'live' | 'sandbox';
  documents: string | undefined;
  ui: string | undefined;
  partySettings: PartySettings;
}

/** A desk may have opened its keys before the database went away. @throws the error of any other failure */
function whileAway(error: unknown): Keyring {
  if (error instanceof DatabaseAway) return testKeyring();
  throw error;
}

async function openDesk({ url, keys, mode, documents: folder, ui, partySettings }: Place): Promise<OpenDesk> {
  const database = createDatabase({ url, poolSize: 4, name: 'desk' });
  const services = createServices({
    database,
    keyring: await openKeyring(database, masterKeysOf(keys)).catch(whileAway),
    log: pino({ level: process.env['LOG_LEVEL'] ?? 'silent' }),
    mode,
    handOver: () => undefined,
    partySettings,
    ...(folder === undefined ? {} : { documents: { kind: 'folder', folder } }),
  });
  const workflows = ui && `${ui.replace(/\/+$/, '')}/namespaces/default/workflows/`;
  const desk = await testDesk(services, { workflowUrl: (id) => (workflows ? workflows + id : null) });
  return {
    desk,
    async close() {
      await desk.close();
      await stopBesideApi(services);
      await database.close();
    },
  };
}
