import type { Database } from '../../../kernel/db/database';
import type { Keyring } from '../../../kernel/security/keyring';
import { openSecret, sealedSecrets } from '../../clients/secrets';
import { type SigningKeys, standardKeyOf } from './signature';

/** Lifetime of a tenant's keys. A rotated secret signs within this time. Milliseconds. */
const FRESH_MS = 1_000;
/** Opened secrets that are kept. Each is opened, and its key derived, once while it is kept. */
const MAX_OPENED = 4_000;
const MAX_TENANTS = 1_000;

export interface SigningSecrets {
  /** @throws Problem 404 for an unknown tenant */
  of(tenantId: string): Promise<SigningKeys>;
}

interface Opened {
  secret: Buffer;
  standard: Buffer;
}

/** Reads the secrets that sign, at most once per tenant and second. */
export function createSigningSecrets(
  { database, keyring }: { database: Database; keyring: Keyring },
  now: () => number = () => performance.now(),
): SigningSecrets {
  const known = new Map<string, { keys: Promise<SigningKeys>; until: number }>();
  /** By the number of the secret. */
  const opened = new Map<string, Opened>();

  function forgetOld(at: number): void {
    for (const [tenantId, { until }] of known) if (until <= at) known.delete(tenantId);
  }

  function open(tenantId: string, { id, sealed }: { id: string; sealed: Buffer }): Opened {
    const found = opened.get(id);
    if (found) return found;
    const [oldest] = opened.keys();
    if (opened.size >= MAX_OPENED && oldest !== undefined) opened.delete(oldest);
    const secret = openSecret(keyring, tenantId, sealed);
    const fresh = { secret, standard: standardKeyOf(secret) };
    opened.set(id, fresh);
    return fresh;
  }

  async function read(tenantId: string): Promise<SigningKeys> {
    const [newest, ...others] = await sealedSecrets(database, tenantId);
    const first = open(tenantId, newest);
    const rest = others.map((each) => open(tenantId, each).standard);
    return { secret: first.secret, standard: [first.standard, ...rest] };
  }

  return {
    of(tenantId) {
      const at = now();
      const entry = known.get(tenantId);
      if (entry && entry.until > at) return entry.keys;
      if (known.size > MAX_TENANTS) forgetOld(at);
      const keys = read(tenantId);
      keys.catch(() => known.delete(tenantId));
      known.set(tenantId, { keys, until: at + FRESH_MS });
      return keys;
    },
  };
}
