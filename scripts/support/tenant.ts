import type { Credential } from './api';
import { operatorJson } from './operator';

/**
 * Creates a tenant for this run by an operator command. Webhooks of other tenants stay unchanged, and no event of an
 * earlier run is pending.
 * @param what the program that runs, as people read it
 */
export async function ownTenant(what: string, role: 'client' | 'admin' = 'client'): Promise<Credential> {
  const name = `${what} of ${new Date().toISOString()}`;
  return (await operatorJson<Credential>('client', 'create', '--name', name, '--role', role)).answer;
}
