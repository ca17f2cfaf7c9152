import { randomBytes } from 'node:crypto';
import { openMasterAccounts } from '../accounts/operations';
import { admitToDemoBins } from '../bins/operations';
import type { Sql, Tx } from '../db/database';
import { notFound } from '../errors';
import { newId } from '../ids';
import type { Keyring } from '../security/keyring';
import { DEMO_RATE_LIMIT } from './settings';
import { endCurrentSecret, findTenant, insertCredential, insertTenant, sealedSecret } from './store';

export interface NewCredential {
  clientId: string;
  /** 256 bits in base64url, shown this once. */
  clientSecret: string;
}

/**
 * Creates a tenant with its first secret, master accounts in USD, EUR and GBP and, in the sandbox, all demo BINs. An
 * `admin` has neither accounts nor BINs: it acts on others'.
 */
export async function createClient(
  tx: Tx,
  keyring: Keyring,
  given: { name: string; role: 'client' | 'admin'; sandbox: boolean },
): Promise<NewCredential> {
  const clientId = newId('tenant');
  await insertTenant(tx, {
    id: clientId,
    name: given.name,
    role: given.role,
    settings: given.sandbox ? { rateLimit: DEMO_RATE_LIMIT } : {},
  });
  if (given.role === 'client') {
    await openMasterAccounts(tx, clientId);
    if (given.sandbox) await admitToDemoBins(tx, clientId);
  }
  return { clientId, clientSecret: await issueSecret(tx, keyring, clientId) };
}

async function issueSecret(tx: Tx, keyring: Keyring, clientId: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await insertCredential(
    tx,
    clientId,
    keyring.hashSecret(secret),
    keyring.seal(Buffer.from(secret), sealContext(clientId)),
  );
  return secret;
}

/**
 * A new secret, which signs webhooks at once; the old one authenticates until the overlap ends.
 * @param overlapSeconds 0 ends the old one now
 */
export async function rotateSecret(
  tx: Tx,
  keyring: Keyring,
  clientId: string,
  overlapSeconds: number,
  now: Date,
): Promise<NewCredential & { overlapEndsAt: string }> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 11))', [clientId]); // one rotation at a time
  const overlapEndsAt = new Date(now.getTime() + overlapSeconds * 1000);
  await endCurrentSecret(tx, clientId, overlapEndsAt);
  return {
    clientId,
    clientSecret: await issueSecret(tx, keyring, clientId),
    overlapEndsAt: overlapEndsAt.toISOString(),
  };
}

/** The secret that signs this tenant's webhooks. @throws Problem 404 when there is no such tenant */
export async function signingSecret(sql: Sql, keyring: Keyring, clientId: string): Promise<Buffer> {
  const sealed = await sealedSecret(sql, clientId);
  if (!sealed) throw notFound('client');
  return keyring.open(sealed, sealContext(clientId));
}

const sealContext = (clientId: string) => `credential/${clientId}`;

export async function requireTenant(sql: Sql, clientId: string) {
  const tenant = await findTenant(sql, clientId);
  if (!tenant) throw notFound('client');
  return tenant;
}
