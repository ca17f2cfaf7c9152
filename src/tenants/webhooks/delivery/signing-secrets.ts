import type { Database } from '../../../kernel/db/database';
import type { Keyring } from '../../../kernel/security/keyring';
import { signingSecret } from '../../clients/operations';

/** Lifetime of an opened secret. A rotated secret signs within this time. Milliseconds. */
const FRESH_MS = 1_000;

export interface SigningSecrets {
  /** @throws Problem 404 for an unknown tenant */
  of(tenantId: string): Promise<Buffer>;
}

/** Reads and opens signing secrets, at most once per tenant and second. */
export function createSigningSecrets(
  { database, keyring }: { database: Database; keyring: Keyring },
  now: () => number = () => performance.now(),
): SigningSecrets {
  const known = new Map<string, { secret: Promise<Buffer>; until: number }>();

  function forgetOld(at: number): void {
    for (const [tenantId, { until }] of known) if (until <= at) known.delete(tenantId);
  }

  return {
    of(tenantId) {
      const at = now();
      const entry = known.get(tenantId);
      if (entry && entry.until > at) return entry.secret;
      if (known.size > 1_000) forgetOld(at);
      const secret = signingSecret(database, keyring, tenantId);
      secret.catch(() => known.delete(tenantId));
      known.set(tenantId, { secret, until: at + FRESH_MS });
      return secret;
    },
  };
}
