import type { Tx } from '../../kernel/db/database';
import type { Keyring } from '../../kernel/security/keyring';
import { MAIN } from './record';
import {
  EVERYTHING,
  type NewCredential,
  prepareCredential,
  type Stored,
  storable,
  storeSecret,
} from './secrets';
import { DEMO_RATE_LIMIT } from './settings';
import { insertTenant } from './store';

export interface NewClient {
  name: string;
  role: 'client' | 'admin';
  /** The operator to whom an admin belongs. Absent: it names nobody. */
  operatorId?: string | undefined;
  /** Settings that differ from the defaults. */
  settings?: object;
  sandbox: boolean;
  /** Creates the initial data of a tenant: accounts and, in the sandbox, BINs. */
  provide(tx: Tx, clientId: string, sandbox: boolean): Promise<void>;
}

/**
 * Creates a tenant with its first secret, master accounts in USD, EUR and GBP and, in the sandbox, all demo BINs. An
 * `admin` gets neither accounts nor BINs, because it acts on other tenants' records.
 * @param prepared id and sealed secret; created when absent
 */
export async function createClient(
  tx: Tx,
  keyring: Keyring,
  given: NewClient,
  prepared: Stored = storable(prepareCredential(keyring)),
): Promise<NewCredential> {
  const { clientId } = prepared;
  await insertTenant(tx, {
    id: clientId,
    name: given.name,
    role: given.role,
    operatorId: given.operatorId ?? null,
    settings: { ...(given.sandbox ? { rateLimit: DEMO_RATE_LIMIT } : {}), ...given.settings },
  });
  if (given.role === 'client') await given.provide(tx, clientId, given.sandbox);
  return storeSecret(tx, keyring, prepared, { name: MAIN, ...EVERYTHING });
}
