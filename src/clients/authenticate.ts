import { timingSafeEqual } from 'node:crypto';
import type { Authenticated } from '../api/app';
import { createRateLimiter } from '../api/rate-limit';
import type { Database } from '../db/database';
import { isId } from '../ids';
import type { Keyring } from '../security/keyring';
import { type Credential, findTenant, liveCredentials, type Tenant } from './store';

/** How long a verified tenant is believed without asking the database: milliseconds. */
const FRESH_MS = 5_000;
/** How often a tenant's unknown secrets may make us ask the database again: a stranger cannot make us ask at will. */
const ASK_AGAIN = { perSecond: 5, burst: 10 };

interface Known {
  tenant: Tenant;
  credentials: Credential[];
  readAt: number;
}

/**
 * Verifies a client id and secret against the keyed hashes, in constant time, keeping what it read for a few seconds: a
 * request on the hot path asks the database for nothing. A secret that is not known is looked for once more, so that
 * a rotated one works at once.
 */
export function createAuthenticator(database: Database, keyring: Keyring, now: () => number = Date.now) {
  const known = new Map<string, Known>();
  const askAgain = createRateLimiter(now);

  async function read(clientId: string): Promise<Known | undefined> {
    const tenant = await findTenant(database, clientId);
    if (!tenant || tenant.status !== 'active') {
      known.delete(clientId);
      return undefined;
    }
    const entry = { tenant, credentials: await liveCredentials(database, clientId), readAt: now() };
    known.set(clientId, entry);
    return entry;
  }

  function matches(entry: Known, hash: Buffer): boolean {
    let found = false;
    for (const { secretHash, expiresAt } of entry.credentials) {
      const live = expiresAt === null || expiresAt.getTime() > now();
      if (timingSafeEqual(secretHash, hash) && live) found = true;
    }
    return found;
  }

  return async function authenticate(
    clientId: string,
    clientSecret: string,
  ): Promise<Authenticated | undefined> {
    const hash = keyring.hashSecret(clientSecret);
    if (!isId('tenant', clientId)) return undefined;
    let entry = known.get(clientId);
    if (!entry || now() - entry.readAt > FRESH_MS) entry = await read(clientId);
    else if (!matches(entry, hash) && askAgain(clientId, ASK_AGAIN).allowed) entry = await read(clientId);
    if (!entry || !matches(entry, hash)) return undefined;
    const { tenant } = entry;
    return {
      caller: { tenantId: tenant.id, role: tenant.role, reach: tenant.role === 'admin' ? null : tenant.id },
      rateLimit: tenant.settings.rateLimit,
    };
  };
}
