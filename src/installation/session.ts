import { randomUUID } from 'node:crypto';
import { actorOf, isAdmitted, operatorOf } from '../desk/operators/operations';
import { audit } from '../kernel/audit/audit';
import type { ChainHead } from '../kernel/audit/log';
import { createDatabase, type Database, type TransactionOptions, type Tx } from '../kernel/db/database';
import { DatabaseAway } from '../kernel/db/faults';
import { openKeyring } from '../kernel/security/installation-keys';
import type { Keyring } from '../kernel/security/keyring';
import type { MasterKeys } from '../kernel/security/master-keys/port';
import type { Documents } from '../parties/documents/port';

/** The installation that a command works on. A master key and the database's address are the right to run these commands. */
export interface InstallationPlace {
  databaseUrl: string;
  /** Address of the owner of the schema. The same, where roles are not apart. */
  ownerUrl: string;
  masterKeys: MasterKeys;
  /** The keys that seal the wallets' seed. Only commands about the seed ask for them. */
  signerKeys(): Promise<MasterKeys>;
  sandbox: boolean;
  /** Secret of the operator at work. Absent when nobody says who it is. */
  operatorSecret: string | undefined;
  /**
   * Heads of the audit chain that were told outside.
   * @param file with a head a line. Default: the place that AUDIT_HEAD_TO names
   * @throws StartupError where there is no such place, or it returns none
   */
  toldHeads(file?: string): Promise<ChainHead[]>;
  /** The documents store, sealed by the keyring. */
  documents(keyring: Keyring): Documents;
  /** Names and lengths of the sealed documents in the store. */
  storedDocuments(): Promise<ReadonlyMap<string, number>>;
  /** Error for a database that cannot be reached. */
  away: Error;
}

/** A run of a command of the installation. */
export interface InstallationSession
  extends Pick<InstallationPlace, 'toldHeads' | 'documents' | 'storedDocuments'> {
  database: Database;
  keyring: Keyring;
  masterKeys: MasterKeys;
  signerKeys(): Promise<MasterKeys>;
  sandbox: boolean;
  /** The operator at work, `operator:<name>`. Undefined when nobody is known who may decide. */
  knownActor: string | undefined;
  /** Runs a transaction with its entry in the audit log. @param by name in the audit log */
  change: Audited;
  /** Works as the owner of the schema, because the product lacks some rights. */
  asOwner<T>(work: (owner: Database, change: Audited) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

type Audited = <T>(
  by: string,
  work: (tx: Tx) => Promise<T>,
  describe: (result: T) => Change,
  options?: TransactionOptions,
) => Promise<T>;

export interface Change {
  /** `operator.add` */
  action: string;
  subject: string;
  after: object;
}

/** @throws `away` of the installation when its database cannot be reached */
export async function openInstallation(place: InstallationPlace): Promise<InstallationSession> {
  const {
    databaseUrl,
    ownerUrl,
    masterKeys,
    signerKeys,
    sandbox,
    operatorSecret,
    toldHeads,
    documents,
    storedDocuments,
    away,
  } = place;
  const database = createDatabase({ url: databaseUrl, poolSize: 2, name: 'cardwright installation' });
  const { keyring, knownActor } = await opened(database, masterKeys, operatorSecret).catch(
    async (error: unknown) => {
      await database.close();
      throw error instanceof DatabaseAway ? away : error;
    },
  );
  return {
    database,
    keyring,
    masterKeys,
    signerKeys,
    sandbox,
    knownActor,
    toldHeads,
    documents,
    storedDocuments,
    change: auditedOn(database),
    async asOwner(work) {
      const owner = createDatabase({ url: ownerUrl, poolSize: 2, name: 'cardwright installation' });
      return work(owner, auditedOn(owner)).finally(() => owner.close());
    },
    close: () => database.close(),
  };
}

const auditedOn =
  (database: Database): Audited =>
  (by, work, describe, options) =>
    database.transaction(async (tx) => {
      const result = await work(tx);
      const caller = { tenantId: by, role: 'admin' } as const;
      await audit(tx, { caller, requestId: randomUUID(), tenantId: null, ...describe(result) });
      return result;
    }, options);

async function opened(database: Database, masterKeys: MasterKeys, secret: string | undefined) {
  const keyring = await openKeyring(database, masterKeys);
  return { keyring, knownActor: await actorAtWork(database, keyring, secret) };
}

async function actorAtWork(
  database: Database,
  keyring: Keyring,
  secret: string | undefined,
): Promise<string | undefined> {
  const operator = secret === undefined ? undefined : await operatorOf(database, keyring, secret);
  return operator?.disabledAt === null && isAdmitted(operator) ? actorOf(operator) : undefined;
}
