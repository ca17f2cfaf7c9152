import type { Credential } from './api';
import { operatorJson } from './operator';

/**
 * Creates a tenant for this run by an operator command. Webhooks of other tenants stay unchanged, and no event of an
 * earlier run is pending.
 */
export async function ownTenant(): Promise<Credential> {
  const name = `Demo of ${new Date().toISOString()}`;
  return (await operatorJson<Credential>('client', 'create', '--name', name)).answer;
}
