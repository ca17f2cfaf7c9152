import { hash as hashOf, timingSafeEqual } from 'node:crypto';
import type { Verdict } from '../../kernel/caller';
import type { Database } from '../../kernel/db/database';
import { isId } from '../../kernel/ids';
import { createRateLimiter } from '../../kernel/rate-limit';
import type { Keyring } from '../../kernel/security/keyring';
import { operatorActor } from '../../process/approvals/actors';
import { type Access, createAccess, type KnownTenant } from './access';

/** Limit of database reads that unknown secrets of one tenant may cause. */
const REREADS = { perSecond: 5, burst: 10 };

/**
 * Verifies client id and secret against the keyed hashes, in constant time and from the cache. For an unknown secret
 * the tenant is read again, so that a secret that another process has just issued works at once.
 * @param access shared with the code that changes secrets in this process; a private cache by default
 * @param now milliseconds, monotonic; the clock of `access`
 */
export function createAuthenticator(
  database: Database,
  keyring: Keyring,
  access: Access = createAccess(database),
  now: () => number = () => performance.now(),
) {
  const mayReread = createRateLimiter(now);
  /** The secret that each client last came with, as a plain hash, and its keyed hash, which costs five times as much. */
  const lastSecrets = new Map<string, { plain: Buffer; keyed: Buffer }>();

  function keyedHash(clientId: string, clientSecret: string, plain: Buffer): Buffer {
    const last = lastSecrets.get(clientId);
    return last && timingSafeEqual(last.plain, plain) ? last.keyed : keyring.hashSecret(clientSecret);
  }

  function verified(known: KnownTenant, hash: Buffer): Verdict {
    const { tenant, operator, secrets } = known;
    const at = now();
    let credentialId: string | undefined;
    for (const { id, hash: own, endsAt } of secrets) {
      const lives = endsAt === null || endsAt > at;
      if (timingSafeEqual(own, hash) && lives) credentialId = id;
    }
    if (credentialId === undefined) return undefined;
    if (tenant.status !== 'active' || operator?.isDisabled) return 'disabled';
    return {
      caller: {
        tenantId: tenant.id,
        role: tenant.role,
        reach: tenant.role === 'admin' ? null : tenant.id,
        credentialId,
        ...(operator && { operator: operatorActor(operator.name), permissions: operator.permissions }),
      },
      rateLimit: tenant.settings.rateLimit,
    };
  }

  return async function authenticate(clientId: string, clientSecret: string): Promise<Verdict> {
    const plain = hashOf('sha256', clientSecret, 'buffer');
    const hash = keyedHash(clientId, clientSecret, plain);
    if (!isId('tenant', clientId)) return undefined;
    const known = await access.known(clientId);
    const verdict = known && verified(known, hash);
    if (verdict && verdict !== 'disabled') {
      if (lastSecrets.get(clientId)?.keyed !== hash) lastSecrets.set(clientId, { plain, keyed: hash });
      return verdict;
    }
    if (known && !mayReread(clientId, REREADS).allowed) return verdict;
    const read = await access.read(clientId);
    return read && verified(read, hash);
  };
}
