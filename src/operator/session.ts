import { randomUUID } from 'node:crypto';
import pino from 'pino';
import {
  actorOf,
  assertMayDecide,
  hasOperators,
  isAdmitted,
  noOperator,
  notAdmitted,
  type Operator,
  operatorOf,
} from '../desk/operators/operations';
import { audit } from '../kernel/audit/audit';
import { createDatabase, type Database, type Tx } from '../kernel/db/database';
import { DatabaseAway } from '../kernel/db/faults';
import { NO_OBSERVERS } from '../kernel/metrics/observers';
import { type Commands, createCommands } from '../kernel/outbox/commands';
import type { Party } from '../kernel/parties';
import { createKeyring, type Keyring } from '../kernel/security/keyring';
import { createChains } from '../parties/chain/create';
import type { Parties } from '../parties/parties';

/** A run of the command line: its database and its operator. */
export interface Session {
  database: Database;
  keyring: Keyring;
  /** Sent by the relay, within a second. */
  commands: Commands;
  sandbox: boolean;
  /** Parties that the configuration leaves out. */
  leftOut: readonly Party[];
  /** Cooldown of a wallet between two allocations, from the configuration. */
  walletQuarantineSeconds: number;
  /** Reads chains by the nodes of their networks. */
  parties: Pick<Parties, 'chain'>;
  /** URL of a workflow in Temporal's UI. Null when the UI's address is not known. */
  workflowUrl(workflowId: string): string | null;
  now: () => Date;
  /**
   * The operator in decisions and the audit log, `operator:<name>`, found by the given secret.
   * @throws Problem 401 without a secret, or for a secret of no operator, or of one who is disabled or not admitted
   */
  readonly actor: string;
  /** The operator, undefined when nobody is known who may decide. */
  readonly knownActor: string | undefined;
  /**
   * Runs one transaction with its audit entries (decisions part 1, Roles), by an operator who may decide until the
   * commit.
   * @param lockFirst changes of operators lock all operators before the own one, because two changes would otherwise
   *   deadlock
   * @throws Problem 401
   */
  change<T>(
    work: (tx: Tx) => Promise<T>,
    describe: (result: T) => ChangeEntry | ChangeEntry[],
    lockFirst?: (tx: Tx) => Promise<void>,
  ): Promise<T>;
  /** Runs a transaction that no operator decides, to create operators. @param by name in the audit log */
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
  /** Parties that the configuration leaves out. */
  leftOut: readonly Party[];
  walletQuarantineSeconds: number;
  /** Secret of the operator. Absent for reading only. */
  operatorSecret: string | undefined;
  workflowUrl(workflowId: string): string | null;
  /** Error for a database that cannot be reached. */
  away: Error;
}

/** @throws `away` of the installation when its database cannot be reached */
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
    database,
    keyring,
    sandbox,
    leftOut,
    walletQuarantineSeconds,
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
  /** The operator, if known and allowed to decide. */
  known: Operator | undefined;
  /** @throws Problem 401 with the reason */
  require(): Operator;
}

/** Finds the operator by the secret, once. */
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

/** Adds an entry to the audit log, in the transaction of the change. */
export function writeDown(tx: Tx, actor: string, entry: ChangeEntry): Promise<void> {
  const { action, subject = '', tenantId = null, before, after } = entry;
  const caller = { tenantId: actor, role: 'admin' } as const;
  return audit(tx, { caller, requestId: randomUUID(), action, subject, tenantId, before, after });
}
