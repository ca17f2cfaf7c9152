import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { createApp } from '../http/app';
import { healthRoutes } from '../http/health';
import type { Config } from '../kernel/config/config';
import { createDatabase, type Database } from '../kernel/db/database';
import { PARTIES, PARTY_NAMES, type Party, partyNamed, partyVariable } from '../kernel/parties';
import { createReadiness } from '../kernel/readiness';
import { openKeyring } from '../kernel/security/installation-keys';
import { keepKeyring } from '../kernel/security/keep-keyring';
import type { Keyring } from '../kernel/security/keyring';
import type { MasterKeys } from '../kernel/security/master-keys/port';
import { createSandboxParties, partyPath, partySecret, type SandboxParties } from '../parties/sandbox/mount';
import { openCoins } from './coins';
import { createApiServer, drainServer, listen, reachable } from './http-server';
import type { DatabaseUrls } from './infrastructure';
import { awaitSchema, migrateSchema } from './schema';
import type { Stages } from './stages';

interface PartiesSetup {
  config: Config;
  log: Logger;
  stages: Stages;
  urls: DatabaseUrls;
  masterKeys: MasterKeys;
}

export interface ServedParties {
  url: string;
  /** Path of the file with the parties' addresses and secrets. Undefined when all secrets were given. */
  path: string | undefined;
}

/**
 * Serves the seven parties of the sandbox and sends their callbacks. Uses its own database and no Temporal. Other
 * installations, live ones included, reach them as they would real parties.
 */
export async function startParties(setup: PartiesSetup): Promise<ServedParties> {
  const { config, log, stages, urls, masterKeys } = setup;
  const database = createDatabase({
    url: urls.databaseUrl,
    poolSize: config.databasePool,
    name: 'cardwright parties',
  });
  stages.started('database', () => database.close());
  if (config.databaseUrl === undefined) await migrateSchema(config, urls);
  else await awaitSchema(database, log, stages);
  const keyring = await openKeyring(database, masterKeys);
  const kept = keepKeyring(keyring, database, log);
  stages.started('keyring', () => kept.stop());
  await openCoins(database, stages);
  const secrets = secretsOf(config, keyring);
  const address = { port: config.port };
  const publicUrl = () => config.publicUrl ?? `http://${reachable(config.host)}:${address.port}`;
  const parties = createSandboxParties({
    mode: 'sandbox',
    database,
    keyring,
    log,
    publicUrl,
    now: () => new Date(),
    productClock: { machineNow: () => new Date() },
    secretOf: (name) => Buffer.from(secrets[partyNamed(name) as Party]),
    rates: config.sandboxRates,
    decisionSeconds: { 'cardholder-review': config.cardholderReviewSeconds },
  });
  address.port = await serve(setup, database, parties);
  const path = await writeDown(config, secrets, publicUrl());
  return { url: publicUrl(), path };
}

type Secrets = Readonly<Record<Party, string>>;

/** Given secrets, as text. Missing ones are derived, so that they are the same at the next start. */
const secretsOf = ({ partySecrets }: Config, keyring: Keyring): Secrets =>
  Object.fromEntries(
    PARTIES.map((party) => {
      const derived = () => partySecret(keyring, PARTY_NAMES[party]).toString('hex');
      return [party, partySecrets[party]?.toString() ?? derived()];
    }),
  ) as Secrets;

async function serve(
  { config, log, stages }: PartiesSetup,
  database: Database,
  parties: SandboxParties,
): Promise<number> {
  const readiness = createReadiness({ needed: { postgres: () => database.query('select 1') } });
  const app = createApp({
    database,
    log,
    routes: healthRoutes(readiness.ask),
    pages: parties.middlewares,
    authenticate: async () => undefined, // clients can call nothing else here
    observe: () => undefined,
  });
  const handle = app.callback();
  const server = createApiServer((request, response) => void handle(request, response));
  parties.start();
  stages.started('callbacks', () => parties.stop());
  const port = await listen(server, config.host, config.port, 'PORT');
  stages.started('parties', () => drainServer(server, readiness, config));
  return port;
}

/** Writes variables that the installation can source, readable by their owner only. */
async function writeDown(config: Config, secrets: Secrets, url: string): Promise<string | undefined> {
  if (PARTIES.every((party) => config.partySecrets[party] !== undefined)) return undefined;
  const path = resolve(join(config.dataDir, 'parties.env'));
  const lines = PARTIES.flatMap((party) => [
    `${partyVariable(party)}_URL=${url}${partyPath(PARTY_NAMES[party])}`,
    `${partyVariable(party)}_SECRET='${secrets[party]}'`,
  ]);
  // Never readable by others, and never written through an existing link.
  const fresh = `${path}.${randomUUID()}.tmp`;
  await writeFile(fresh, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
  await rename(fresh, path);
  return path;
}
