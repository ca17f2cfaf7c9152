import { createHmac, createSecretKey } from 'node:crypto';
import type { HashingPurpose, KeyPurpose, SealingPurpose } from './purposes';
import { createSealer, type Sealer } from './sealer';

/** The installation's keys, opened, one for each purpose, so that no key serves two. */
export interface Keyring {
  /** HMAC-SHA256 of a secret of a client, an operator or a session, by which it is compared. */
  hashSecret(secret: string): Buffer;
  /** The key of a purpose, 32 bytes, for signing or further derivation. */
  secretFor(purpose: HashingPurpose): Buffer;
  /** Seals and opens with the key of a purpose. */
  sealer(purpose: SealingPurpose): Sealer;
}

/** @param keyOf the opened key of each purpose, 32 bytes */
export function createKeyring(keyOf: (purpose: KeyPurpose) => Buffer): Keyring {
  const hashing = createSecretKey(keyOf('credential-hashes'));
  const sealers = new Map<SealingPurpose, Sealer>();
  return {
    hashSecret: (secret) => createHmac('sha256', hashing).update(secret).digest(),
    secretFor: keyOf,
    sealer(purpose) {
      const sealer = sealers.get(purpose) ?? createSealer(keyOf(purpose));
      sealers.set(purpose, sealer);
      return sealer;
    },
  };
}
