import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { audit } from '../kernel/audit';
import { createDatabase, type Database, type Tx } from '../kernel/db/database';
import { DatabaseAway } from '../kernel/db/faults';
import { type Commands, createCommands } from '../kernel/outbox/commands';
import { createKeyring, type Keyring } from '../kernel/security/keyring';

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

/** The installation that the command line works on. */
export interface Installation {
  databaseUrl: string;
  masterKey: Buffer;
  sandbox: boolean;
  /** What is told when its database cannot be reached. */
  away: Error;
}

/** @throws the installation's own error when its database cannot be reached */
export async function openSession({ databaseUrl, masterKey, sandbox, away }: Installation): Promise<Session> {
  const database = createDatabase({ url: databaseUrl, poolSize: 2, name: 'cardwright operator' });
  await database.query('select 1').catch(async (error: unknown) => {
    await database.close();
    throw error instanceof DatabaseAway ? away : error;
  });
  const actor = `operator:${osUser()}`;
  return {
    database,
    keyring: createKeyring(masterKey),
    commands: createCommands(),
    sandbox,
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

function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown'); // a user id without an account, as in containers
  }
}
