import { randomUUID } from 'node:crypto';
import type { Scope } from '../../src/kernel/scopes';
import { addSecret, prepareCredential } from '../../src/tenants/clients/secrets';
import type { TestApi } from './api';

/** Adds a secret to a tenant, and returns the headers of requests with it. */
export async function narrowedHeaders(
  api: Pick<TestApi, 'database' | 'services'>,
  clientId: string,
  {
    name = `narrow-${randomUUID().slice(0, 8)}`,
    scopes = null,
    addresses = null,
  }: { name?: string; scopes?: Scope[] | null; addresses?: string[] | null },
): Promise<{ 'x-client-id': string; 'x-client-secret': string }> {
  const { credential, sealed } = prepareCredential(api.services.keyring, clientId);
  const named = { name, scopes, addresses };
  await api.database.transaction((tx) =>
    addSecret(tx, api.services.keyring, { clientId, sealed }, named, new Date()),
  );
  return { 'x-client-id': clientId, 'x-client-secret': credential.clientSecret };
}
