import type { Credential } from './api';
import { operatorJson } from './operator';

/**
 * A tenant for this run alone, made at the operator's command line. Webhooks of other tenants stay as they are, and no event of
 * an earlier run waits for it.
 */
export async function ownTenant(): Promise<Credential> {
  const name = `Demo of ${new Date().toISOString()}`;
  return (await operatorJson<Credential>('client', 'create', '--name', name)).told;
}
