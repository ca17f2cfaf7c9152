import { randomUUID } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { provideForClient } from '../cards/programmes/operations';
import { ensureDemoOperator, INSTALLATION, type OperatorCredential } from '../desk/operators/operations';
import { audit } from '../kernel/audit/audit';
import { table } from '../kernel/db/build';
import type { Database, Tx } from '../kernel/db/database';
import type { Keyring } from '../kernel/security/keyring';
import { createClient } from '../tenants/clients/create';
import { isLiveSecret, type NewCredential, rotateSecret } from '../tenants/clients/secrets';
import { writeState } from './embedded/state-file';

/** `.data/credentials.json` (0600): access to a local sandbox, for people and for `npm run demo`. */
export interface DemoCredentials {
  baseUrl: string;
  /** Null when the address of Temporal's UI is not known. */
  temporalUi: string | null;
  client: NewCredential;
  admin: NewCredential;
  /** The operator of the command line. */
  operator: OperatorCredential;
}

const PURPOSES = { client: 'Demo client', admin: 'Demo operator' } as const;
type Purpose = keyof typeof PURPOSES;

export interface DemoDeps {
  database: Database;
  keyring: Keyring;
  dataDir: string;
  baseUrl: string;
  temporalUi: string | null;
}

export const credentialsPath = (dataDir: string) => join(dataDir, 'credentials.json');

/**
 * Creates the demo operator, the operator's admin and the demo client once, and writes their credentials to a file. Stored credentials
 * that still authenticate are kept. If the file is lost or outdated, its tenants get new secrets.
 */
export async function ensureDemoCredentials(deps: DemoDeps): Promise<DemoCredentials> {
  const path = credentialsPath(deps.dataDir);
  const known = await readDemoCredentials(deps.dataDir);
  const { baseUrl, temporalUi } = deps;
  const operator = await ensureOperator(deps, known?.operator);
  const client = await ensureCredential(deps, 'client', known?.client);
  const admin = await ensureCredential(deps, 'admin', known?.admin, operator);
  const credentials = { baseUrl, temporalUi, client, admin, operator };
  await writeState(path, credentials);
  await chmod(path, 0o600);
  return credentials;
}

/** Reads the file. An unreadable file counts as missing. */
export async function readDemoCredentials(dataDir: string): Promise<Partial<DemoCredentials> | undefined> {
  try {
    return JSON.parse(await readFile(credentialsPath(dataDir), 'utf8')) as Partial<DemoCredentials>;
  } catch {
    return undefined;
  }
}

async function ensureCredential(
  { database, keyring }: DemoDeps,
  purpose: Purpose,
  known: NewCredential | undefined,
  owner?: OperatorCredential,
): Promise<NewCredential> {
  return database.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 12))', [purpose]); // one process at a time
    const tenantId = await demoTenant(tx, purpose);
    if (tenantId === undefined) return makeTenant(tx, keyring, purpose, owner);
    const valid =
      known?.clientId === tenantId &&
      typeof known.clientSecret === 'string' &&
      (await isLiveSecret(tx, keyring, tenantId, known.clientSecret));
    if (valid) return { clientId: tenantId, clientSecret: known.clientSecret };
    const { clientId, clientSecret } = (await rotateSecret(tx, keyring, tenantId, 0)).credential;
    return { clientId, clientSecret };
  });
}

function ensureOperator(
  { database, keyring }: DemoDeps,
  known: OperatorCredential | undefined,
): Promise<OperatorCredential> {
  return database.transaction(async (tx) => {
    const { credential, made } = await ensureDemoOperator(tx, keyring, known);
    const { operatorId: subject, name } = credential;
    const caller = { tenantId: INSTALLATION, role: 'admin' } as const;
    const change = { action: 'operator.add', subject, tenantId: null, after: { name } };
    if (made) await audit(tx, { caller, requestId: randomUUID(), ...change });
    return credential;
  });
}

async function demoTenant(tx: Tx, purpose: Purpose): Promise<string | undefined> {
  const [row] = await tx.run<{ tenantId: string }>(
    table('demo_tenants').select('tenantId').where({ purpose }),
  );
  return row?.tenantId;
}

async function makeTenant(
  tx: Tx,
  keyring: Keyring,
  purpose: Purpose,
  owner: OperatorCredential | undefined,
): Promise<NewCredential> {
  const made = await createClient(tx, keyring, {
    provide: provideForClient,
    name: PURPOSES[purpose],
    role: purpose,
    operatorId: owner?.operatorId,
    sandbox: true,
  });
  await tx.run(table('demo_tenants').insert({ purpose, tenantId: made.clientId }));
  return made;
}
