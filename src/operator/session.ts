import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { audit } from '../api/audit';
import { type Config, readConfig } from '../config';
import { createDatabase, type Database, type Tx } from '../db/database';
import { DatabaseAway } from '../db/faults';
import { DATABASE } from '../embedded/postgres';
import { connectionUrl } from '../embedded/postgres-server';
import { readState } from '../embedded/state-file';
import { type Commands, createCommands } from '../outbox/commands';
import { createKeyring, type Keyring } from '../security/keyring';
import { readMasterKey } from '../startup/master-key';
import { StartupError } from '../startup/startup-error';

/** One call of the command line: the database that it works on, and who works. */
export interface Session {
  database: Database;
  keyring: Keyring;
  /** Left to the relay, which takes them within a second. */
  commands: Commands;
  sandbox: boolean;
  now: () => Date;
  /** Who works, as decisions and the audit log name it: `operator:<name>`. */
  actor: string;
  /** One transaction with what it writes down of itself (decisions part 1, Roles). */
  change<T>(work: (tx: Tx) => Promise<T>, describe: (result: T) => ChangeEntry): Promise<T>;
  close(): Promise<void>;
}

export interface ChangeEntry {
  /** `client.create`, `webhooks.retry` … */
  action: string;
  subject?: string;
  tenantId?: string | null;
  before?: unknown;
  after?: unknown;
}

/**
 * Connects to the database that DATABASE_URL names, or to the embedded one of a running `npm start`.
 * @throws StartupError or ConfigError that say what to do
 */
export async function openSession(environment: NodeJS.ProcessEnv): Promise<Session> {
  const config = readConfig(environment);
  const url = config.databaseUrl ?? (await embeddedUrl(config.dataDir));
  const masterKey = config.masterKey ?? (await embeddedKey(config));
  const database = createDatabase({ url, poolSize: 2, name: 'cardwright operator' });
  await database.query('select 1').catch(async (error: unknown) => {
    await database.close();
    throw error instanceof DatabaseAway ? away(config) : error;
  });
  const actor = `operator:${osUser()}`;
  return {
    database,
    keyring: createKeyring(masterKey),
    commands: createCommands(),
    sandbox: config.mode === 'sandbox',
    now: () => new Date(),
    actor,
    change: (work, describe) =>
      database.transaction(async (tx) => {
        const result = await work(tx);
        await writeDown(tx, actor, describe(result));
        return result;
      }),
    close: () => database.close(),
  };
}

function writeDown(tx: Tx, actor: string, entry: ChangeEntry): Promise<void> {
  const { action, subject = '', tenantId = null, before, after } = entry;
  const caller = { tenantId: actor, role: 'admin' } as const;
  return audit(tx, { caller, requestId: randomUUID(), action, subject, tenantId, before, after });
}

async function embeddedUrl(dataDir: string): Promise<string> {
  const state = await readState<{ port: number; password: string }>(join(dataDir, 'postgres.json'));
  if (!state) {
    throw new StartupError(
      `There is no Cardwright in ${dataDir}. Start one with "npm start" in another terminal, name its folder in DATA_DIR, ` +
        'or name its database in DATABASE_URL.',
    );
  }
  return connectionUrl(state, DATABASE);
}

async function embeddedKey(config: Config): Promise<Buffer> {
  const key = await readMasterKey(config.dataDir);
  if (!key) throw new StartupError(`${join(config.dataDir, 'master.key')} is missing: give MASTER_KEY.`);
  return key;
}

function away({ databaseUrl, dataDir }: Config): StartupError {
  return new StartupError(
    databaseUrl === undefined
      ? `Cardwright does not run on ${dataDir}. Start it with "npm start" in another terminal.`
      : 'The database that DATABASE_URL names cannot be reached.',
  );
}

function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown'); // a user id without an account, as in containers
  }
}
