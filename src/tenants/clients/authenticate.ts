import { timingSafeEqual } from 'node:crypto';
import type { Verdict } from '../../kernel/caller';
import type { Database } from '../../kernel/db/database';
import { isId } from '../../kernel/ids';
import { createRateLimiter } from '../../kernel/rate-limit';
import type { Keyring } from '../../kernel/security/keyring';
import { type Access, createAccess, type KnownTenant } from './access';

/** How often a tenant's unknown secrets may cause a read of the database: a stranger cannot cause them at will. */
const REREADS = { perSecond: 5, burst: 10 };

/**
 * Verifies a client id and secret against the keyed hashes, in constant time: a request on the hot path asks the database
 * for nothing. For a secret that is not in the cache the tenant is read anew, so that one that another process has just
 * issued works at once.
 * @param access shared with whatever changes secrets in this process; one of its own when absent
 * @param now milliseconds, monotonic: that of `access`
 */
export function createAuthenticator(
  database: Database,
  keyring: Keyring,
  access: Access = createAccess(database),
  now: () => number = () => performance.now(),
) {
  const mayReread = createRateLimiter(now);

  function verified(known: KnownTenant, hash: Buffer): Verdict {
    const { tenant, secrets } = known;
    const at = now();
    let credentialId: string | undefined;
    for (const { id, hash: own, endsAt } of secrets) {
      const lives = endsAt === null || endsAt > at;
      if (timingSafeEqual(own, hash) && lives) credentialId = id;
    }
    if (credentialId === undefined) return undefined;
    if (tenant.status !== 'active') return 'disabled';
    return {
      caller: {
        tenantId: tenant.id,
        role: tenant.role,
        reach: tenant.role === 'admin' ? null : tenant.id,
        credentialId,
      },
      rateLimit: tenant.settings.rateLimit,
    };
  }

  return async function authenticate(clientId: string, clientSecret: string): Promise<Verdict> {
    const hash = keyring.hashSecret(clientSecret);
    if (!isId('tenant', clientId)) return undefined;
    const known = await access.known(clientId);
    const verdict = known && verified(known, hash);
    if (verdict && verdict !== 'disabled') return verdict;
    if (known && !mayReread(clientId, REREADS).allowed) return verdict;
    const read = await access.read(clientId);
    return read && verified(read, hash);
  };
}
