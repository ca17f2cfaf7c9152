import { createHmac, createSecretKey } from 'node:crypto';
import type { HashingPurpose, KeyPurpose, SealingPurpose } from './purposes';
import { createSealer, type Sealer } from './sealer';

/** The installation's keys, opened, one for each purpose, so that no key serves two. */
export interface Keyring {
  /**
   * HMAC-SHA256 of a secret of a client or of the desk, by which it is compared. The owner is part of it, so that a stored
   * hash that is copied to another owner's row is worth nothing there.
   * @param owner id of the client, or `desk`
   */
  hashSecret(secret: string, owner: string): Buffer;
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
    hashSecret: (secret, owner) => createHmac('sha256', hashing).update(`${owner}:${secret}`).digest(),
    secretFor: keyOf,
    sealer(purpose) {
      const sealer = sealers.get(purpose) ?? createSealer(keyOf(purpose));
      sealers.set(purpose, sealer);
      return sealer;
    },
  };
}
