import { hash as hashOf, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Authenticated, Verdict } from '../../kernel/caller';
import type { Database } from '../../kernel/db/database';
import { isId } from '../../kernel/ids';
import { createRateLimiter } from '../../kernel/rate-limit';
import { isListed } from '../../kernel/security/address-lists';
import type { Keyring } from '../../kernel/security/keyring';
import { operatorActor } from '../../process/approvals/actors';
import { type Access, createAccess, type KnownSecret, type KnownTenant } from './access';
import type { FailedSignIns } from './failed-sign-ins';

/** Limit of database reads that unknown secrets of one tenant may cause. */
const REREADS = { perSecond: 5, burst: 10 };
/** Beyond the limit, all unknown secrets of this time share the next read. */
const REREAD_MS = 200;

export interface AuthenticatorOptions {
  /** Milliseconds, monotonic; the clock of `access`. */
  now?: () => number;
  sleep?: (milliseconds: number) => Promise<unknown>;
  /** Default: failures are neither audited nor slowed. */
  failedSignIns?: Pick<FailedSignIns, 'note'>;
}

/**
 * Verifies client id and secret against the keyed hashes, in constant time and from the cache, and the address that the
 * secret comes from. For an unknown secret the tenant is read again, so that a secret that another process has just
 * issued works at once, also while wrong secrets flood the tenant.
 * @param access shared with the code that changes secrets in this process; a private cache by default
 */
export function createAuthenticator(
  database: Database,
  keyring: Keyring,
  access: Access = createAccess(database),
  { now = () => performance.now(), sleep = sleepFor, failedSignIns }: AuthenticatorOptions = {},
) {
  const reread = createRereads(access, now, sleep);
  /** The secret that each client last came with, as a plain hash, and its keyed hashes, which cost five times as much. */
  const lastSecrets = new Map<string, { plain: Buffer; keyed: readonly Buffer[] }>();

  function knownHashes(clientId: string, plain: Buffer): readonly Buffer[] | undefined {
    const last = lastSecrets.get(clientId);
    return last && timingSafeEqual(last.plain, plain) ? last.keyed : undefined;
  }

  function verified(
    { tenant, operator, secrets }: KnownTenant,
    hashes: readonly Buffer[],
    address: string,
  ): Verdict {
    const at = now();
    let right: KnownSecret | undefined;
    for (const secret of secrets) {
      const lives = secret.endsAt === null || secret.endsAt > at;
      for (const hash of hashes) if (timingSafeEqual(secret.hash, hash) && lives) right = secret;
    }
    if (!right || (right.addresses !== null && !isListed(right.addresses, address))) return undefined;
    if (tenant.status !== 'active' || operator?.isDisabled) return 'disabled';
    return {
      caller: {
        tenantId: tenant.id,
        role: tenant.role,
        reach: tenant.role === 'admin' ? null : tenant.id,
        credentialId: right.id,
        ...(operator && { operator: operatorActor(operator.name), permissions: operator.permissions }),
      },
      rateLimit: tenant.settings.rateLimit,
      scopes: right.scopes,
    };
  }

  async function judged(clientId: string, clientSecret: string, address: string): Promise<Verdict> {
    const plain = hashOf('sha256', clientSecret, 'buffer');
    const kept = knownHashes(clientId, plain);
    const fresh = kept ?? keyring.secretHashes(clientSecret, clientId);
    if (!isId('tenant', clientId)) return undefined;
    const known = await access.known(clientId);
    const verdict = known && verified(known, fresh, address);
    if (isAuthenticated(verdict)) {
      if (kept === undefined) lastSecrets.set(clientId, { plain, keyed: fresh });
      return verdict;
    }
    // The kept hashes may be those from before a renewal of the key.
    if (kept !== undefined) lastSecrets.delete(clientId);
    const hashes = kept === undefined ? fresh : keyring.secretHashes(clientSecret, clientId);
    const again = known && kept && verified(known, hashes, address);
    if (isAuthenticated(again)) return again;
    const read = await (known ? reread(clientId) : access.read(clientId));
    return read && verified(read, hashes, address);
  }

  /** @param address where the request comes from */
  return async function authenticate(clientId: string, clientSecret: string, address = ''): Promise<Verdict> {
    const verdict = await judged(clientId, clientSecret, address);
    if (verdict || clientId === '' || clientSecret === '') return verdict;
    const delay = failedSignIns?.note(address, clientId) ?? 0;
    if (delay > 0) await sleep(delay);
    return undefined;
  };
}

const isAuthenticated = (verdict: Verdict): verdict is Authenticated => typeof verdict === 'object';

/**
 * Reads a tenant again for unknown secrets, within a limit. Secrets beyond it wait for the next read, which begins after
 * they came. So a flood of wrong secrets cannot hide a new one.
 */
function createRereads(
  access: Access,
  now: () => number,
  sleep: (milliseconds: number) => Promise<unknown>,
): (clientId: string) => Promise<KnownTenant | undefined> {
  const mayReread = createRateLimiter(now);
  const nextReads = new Map<string, Promise<KnownTenant | undefined>>();

  return function reread(clientId) {
    const next = nextReads.get(clientId);
    if (next) return next;
    if (mayReread(clientId, REREADS).allowed) return access.read(clientId);
    const later = sleep(REREAD_MS).then(() => {
      nextReads.delete(clientId);
      mayReread(clientId, REREADS); // takes the token that was added meanwhile
      return access.read(clientId);
    });
    nextReads.set(clientId, later);
    return later;
  };
}
