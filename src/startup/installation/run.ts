import { join } from 'node:path';
import type { Console } from '../../desk/cli/console';
import type { BackupPlace } from '../../installation/commands/backup';
import type { SchemaPlace } from '../../installation/commands/schema';
import { runInstallationProgram } from '../../installation/program';
import type { InstallationPlace } from '../../installation/session';
import type { ChainHead } from '../../kernel/audit/log';
import { type Config, readConfig } from '../../kernel/config/config';
import type { MasterKeySettings } from '../../kernel/config/master-keys';
import { loginStatements } from '../../kernel/db/roles';
import { createMasterKeys } from '../../kernel/security/master-keys/create';
import { StartupError } from '../../kernel/startup-error';
import { createDocuments } from '../../parties/documents/sealed';
import { createStore } from '../../parties/documents/settings';
import { createWitness } from '../../parties/witness/create';
import { backUp } from '../backup/back-up';
import { restoreBackup } from '../backup/restoring';
import { readDemoCredentials } from '../demo-credentials';
import { connectionUrl, runtimeUrl } from '../embedded/postgres/connection';
import { DATABASE } from '../embedded/postgres/server';
import { readState } from '../embedded/state-file';
import { type KeyList, keyPath, readKeyFile } from '../key-file';
import { migrateSchema, rolesOf } from '../schema';

/**
 * Runs one command of the installation, on the database of DATABASE_URL or the embedded one of a running `npm start`.
 * @param argv without the program's name
 * @returns exit code: 0, or another after an error, which is written to `console.err`
 */
export const runInstallation = (
  argv: string[],
  environment: NodeJS.ProcessEnv,
  console: Console,
): Promise<number> =>
  runInstallationProgram(
    argv,
    console,
    () => placeOf(readConfig(environment)),
    schemaOf(environment),
    backupsOf(environment),
  );

/** Backups of the embedded Postgres. */
function backupsOf(environment: NodeJS.ProcessEnv): BackupPlace {
  function embedded(): Config {
    const config = readConfig(environment);
    if (config.databaseUrl === undefined) return config;
    throw new StartupError(
      'DATABASE_URL names a Postgres of your own, which its own tools back up and restore: docs/operating.md, "Backups", tells how.',
    );
  }
  return {
    async backUp(to) {
      const config = embedded();
      return backUp(config, { ownerUrl: await embeddedOwner(config.dataDir), away: away(config) }, to);
    },
    async restore(wanted) {
      const config = embedded();
      const { manifest, server } = await restoreBackup(config, wanted);
      async function prepared(): Promise<InstallationPlace> {
        // The backup may be of an earlier release, whose schema lacks what the proofs need.
        await migrateSchema(config, { ownerUrl: server.url, databaseUrl: server.runtimeUrl });
        return placeOf(config);
      }
      const place = await prepared().catch(async (error: unknown) => {
        await server.stop();
        throw error;
      });
      return { ...manifest, place, close: () => server.stop() };
    },
  };
}

/** What `migrate` does. Reads the environment when it is called, as the other commands do. */
function schemaOf(environment: NodeJS.ProcessEnv): SchemaPlace {
  async function roles() {
    const config = readConfig(environment);
    return { config, urls: await addressesOf(config) };
  }
  return {
    async migrate() {
      const { config, urls } = await roles();
      return migrateSchema(config, urls);
    },
    async statements() {
      const { config, urls } = await roles();
      return loginStatements(rolesOf(config, urls));
    },
    address: async () => (await addressesOf(readConfig(environment, 'neither', false))).databaseUrl,
  };
}

/** @throws StartupError or ConfigError that say what to do */
export const placeOf = async (config: Config): Promise<InstallationPlace> => ({
  ...(await addressesOf(config)),
  masterKeys: createMasterKeys(config.masterKeys ?? (await embeddedKeys(config, 'MASTER_KEYS'))),
  signerKeys: async () => createMasterKeys(config.signerKeys ?? (await embeddedKeys(config, 'SIGNER_KEYS'))),
  sandbox: config.mode === 'sandbox',
  operatorSecret: config.operatorSecret ?? (await embeddedSecret(config)),
  toldHeads: (file) => toldHeads(config, file),
  documents: (keyring) => createDocuments(createStore(config.documents), keyring),
  storedDocuments: () => createStore(config.documents).list(),
  away: away(config),
});

async function toldHeads({ outside: { witness } }: Config, file: string | undefined): Promise<ChainHead[]> {
  const settings = file === undefined ? witness : ({ kind: 'file', path: file } as const);
  const { told } = createWitness(settings, () => new Date());
  if (told) return told();
  throw new StartupError(
    'AUDIT_HEAD_TO names no place that returns heads: name a file with a head a line, --told FILE.',
  );
}

/** Addresses of the database: of the runtime role, and of the owner of the schema. */
async function addressesOf({ databaseUrl, databaseOwnerUrl, dataDir }: Config) {
  if (databaseUrl !== undefined) return { databaseUrl, ownerUrl: databaseOwnerUrl ?? databaseUrl };
  const ownerUrl = await embeddedOwner(dataDir);
  return { databaseUrl: runtimeUrl(ownerUrl), ownerUrl };
}

/** Address of the owner of the embedded database. */
async function embeddedOwner(dataDir: string): Promise<string> {
  const state = await readState<{ port: number; password: string }>(join(dataDir, 'postgres.json'));
  if (!state) {
    throw new StartupError(
      `There is no Cardwright in ${dataDir}. Start one with "npm start" in another terminal, name its folder in DATA_DIR, ` +
        'or name its database in DATABASE_URL.',
    );
  }
  return connectionUrl(state, DATABASE);
}

async function embeddedKeys({ dataDir }: Config, list: KeyList): Promise<MasterKeySettings> {
  const keys = await readKeyFile(dataDir, list);
  if (!keys) throw new StartupError(`${keyPath(dataDir, list)} is missing: give ${list}.`);
  return keys;
}

/** The operator's secret of an embedded sandbox. Everybody who can read its folder is its operator. */
async function embeddedSecret({ mode, databaseUrl, dataDir }: Config): Promise<string | undefined> {
  if (mode !== 'sandbox' || databaseUrl !== undefined) return undefined;
  return (await readDemoCredentials(dataDir))?.operator?.operatorSecret;
}

function away({ databaseUrl, dataDir }: Config): StartupError {
  return new StartupError(
    databaseUrl === undefined
      ? `Cardwright does not run on ${dataDir}. Start it with "npm start" in another terminal.`
      : 'The database that DATABASE_URL names cannot be reached.',
  );
}
