import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { audit } from '../kernel/audit/audit';
import { createDatabase, type Database, type Tx } from '../kernel/db/database';
import { DatabaseAway } from '../kernel/db/faults';
import { NO_OBSERVERS } from '../kernel/metrics/observers';
import { type Commands, createCommands } from '../kernel/outbox/commands';
import type { Party } from '../kernel/parties';
import { createKeyring, type Keyring } from '../kernel/security/keyring';
import { createChains } from '../parties/chain/create';
import type { Documents, SealedStore } from '../parties/documents/port';
import { createDocuments } from '../parties/documents/sealed';
import type { Parties } from '../parties/parties';
import {
  actorOf,
  assertMayDecide,
  hasOperators,
  isAdmitted,
  noOperator,
  notAdmitted,
  type Operator,
  operatorOf,
} from './operators/operations';

/** One call of the command line: the database that it works on, and who works. */
export interface Session {
  database: Database;
  keyring: Keyring;
  /** Left to the relay, which takes them within a second. */
  commands: Commands;
  sandbox: boolean;
  /** By the configuration. */
  leftOut: readonly Party[];
  /** So long a wallet rests between two payers; by the configuration, too. */
  walletQuarantineSeconds: number;
  /** The content of documents. */
  documents: Documents;
  /** The chains, by the nodes that their networks name: read alone. */
  parties: Pick<Parties, 'chain'>;
  /** Where a workflow is seen in Temporal's UI; null where that is not known. */
  workflowUrl(workflowId: string): string | null;
  now: () => Date;
  /**
   * Who works, as decisions and the audit log name it: `operator:<name>`, by the secret that was given.
   * @throws Problem 401 without a secret, or with one that is no operator's, a disabled one's or one's who was not admitted
   */
  readonly actor: string;
  /** The same; nothing where nobody is known who may decide. */
  readonly knownActor: string | undefined;
  /**
   * One transaction with what it writes down of itself (decisions part 1, Roles), by an operator who may decide until it is
   * committed.
   * @param lockFirst what changes operators locks them all before it holds its own: two would wait for each other
   * @throws Problem 401
   */
  change<T>(
    work: (tx: Tx) => Promise<T>,
    describe: (result: T) => ChangeEntry | ChangeEntry[],
    lockFirst?: (tx: Tx) => Promise<void>,
  ): Promise<T>;
  /** The same by nobody who decides: what makes operators. @param by as the audit log names him */
  enrol<T>(by: string, work: (tx: Tx) => Promise<T>, describe: (result: T) => ChangeEntry): Promise<T>;
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
  /** What the configuration leaves out. */
  leftOut: readonly Party[];
  walletQuarantineSeconds: number;
  /** Of whoever works; absent where nobody is known, which suffices for reading. */
  operatorSecret: string | undefined;
  /** Where the content of documents is kept. */
  documents: SealedStore;
  workflowUrl(workflowId: string): string | null;
  /** What is told when its database cannot be reached. */
  away: Error;
}

/** @throws the installation's own error when its database cannot be reached */
export async function openSession(installation: Installation): Promise<Session> {
  const { databaseUrl, masterKey, sandbox, leftOut, walletQuarantineSeconds, away } = installation;
  const database = createDatabase({ url: databaseUrl, poolSize: 2, name: 'cardwright operator' });
  const keyring = createKeyring(masterKey);
  const now = () => new Date();
  const whoWorks = await operatorAtWork(database, keyring, installation.operatorSecret).catch(
    async (error: unknown) => {
      await database.close();
      throw error instanceof DatabaseAway ? away : error;
    },
  );
  return {
    ...{ database, keyring, sandbox, leftOut, walletQuarantineSeconds },
    documents: createDocuments(installation.documents, keyring),
    parties: { chain: createChains({ log: pino({ level: 'silent' }), observers: NO_OBSERVERS, now }) },
    workflowUrl: (workflowId) => installation.workflowUrl(workflowId),
    commands: createCommands(),
    now,
    get actor() {
      return actorOf(whoWorks.require());
    },
    knownActor: whoWorks.known && actorOf(whoWorks.known),
    async change(work, describe, lockFirst) {
      const operator = whoWorks.require();
      return database.transaction(async (tx) => {
        await lockFirst?.(tx);
        await assertMayDecide(tx, operator);
        const result = await work(tx);
        for (const entry of [describe(result)].flat()) await writeDown(tx, actorOf(operator), entry);
        return result;
      });
    },
    enrol: (by, work, describe) =>
      database.transaction(async (tx) => {
        const result = await work(tx);
        await writeDown(tx, by, describe(result));
        return result;
      }),
    close: () => database.close(),
  };
}

interface WhoWorks {
  /** One who may decide. */
  known: Operator | undefined;
  /** @throws Problem 401 that says what is wrong */
  require(): Operator;
}

/** Looked for once. */
async function operatorAtWork(
  database: Database,
  keyring: Keyring,
  secret: string | undefined,
): Promise<WhoWorks> {
  const operator = secret === undefined ? undefined : await operatorOf(database, keyring, secret);
  if (operator?.disabledAt === null && isAdmitted(operator))
    return { known: operator, require: () => operator };
  const anybody = operator !== undefined || (await hasOperators(database));
  const refuse = (): never => {
    if (!anybody)
      throw noOperator('There is no operator yet: make the first one by "operator add --name N".');
    if (operator?.disabledAt === null) throw notAdmitted(operator);
    if (operator) throw noOperator(`The operator ${operator.name} has been disabled.`);
    if (secret === undefined) throw noOperator('This takes an operator: give his secret in OPERATOR_SECRET.');
    throw noOperator('The secret is no operator’s.');
  };
  return { known: undefined, require: refuse };
}

/** Adds to the audit log what was changed, in the transaction of the change. */
export function writeDown(tx: Tx, actor: string, entry: ChangeEntry): Promise<void> {
  const { action, subject = '', tenantId = null, before, after } = entry;
  const caller = { tenantId: actor, role: 'admin' } as const;
  return audit(tx, { caller, requestId: randomUUID(), action, subject, tenantId, before, after });
}
