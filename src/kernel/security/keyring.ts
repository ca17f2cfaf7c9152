import {} from 'node:crypto';
import { isEqual } from './is-equal';
import type { HashingPurpose, KeyPurpose, SealingPurpose } from './purposes';
import { createHasher, createSealer, type Sealer } from './sealer';

/** The installation's keys, opened, one for each purpose, so that no key serves two. */
export interface Keyring {
  /**
   * Keyed hash of a secret of a client or of the desk, by which it is compared: 36 bytes, under the version of now. The owner
   * is part of it, so that a stored hash that is copied to another owner's row is worth nothing there.
   * @param owner id of the client, or `desk`
   */
  hashSecret(secret: string, owner: string): Buffer;
  /** The hashes of a secret under every version, by one of which it is found. That of now is the first. */
  secretHashes(secret: string, owner: string): readonly [Buffer, ...Buffer[]];
  /** Whether the stored hash is one of the secret. Compares in constant time. */
  isHashOf(stored: Buffer, secret: string, owner: string): boolean;
  /**
   * The key of a purpose, 32 bytes, for signing or further derivation.
   * @param at when the value that is derived was made; absent: the version of now
   */
  secretFor(purpose: HashingPurpose, at?: Date): Buffer;
  /** Seals with the version of now, and opens with every version. May be kept, because it follows a renewal. */
  sealer(purpose: SealingPurpose): Sealer;
}

/** A version of a purpose's key. */
export interface KeyVersion {
  /** 32 bytes. */
  key: Buffer;
  /** From when it is in force. */
  since: Date;
  /** Whether it is in force now. Until then it opens, and does not seal. */
  isInForce: boolean;
}

/** The versions of a purpose's key that a process has. */
export interface PurposeKeys {
  sealer: Sealer;
  /** The version of now. */
  present: Buffer;
  /** The version that was in force at a time. */
  at(time: Date): Buffer;
  /** Keyed hashes of a text under every version, that of now first. */
  hashes(text: string): [Buffer, ...Buffer[]];
}

/** @param versions of one purpose, the newest first */
export function purposeKeys(versions: readonly [KeyVersion, ...KeyVersion[]]): PurposeKeys {
  const oldest = versions.at(-1) ?? versions[0];
  const { key: present } = versions.find(({ isInForce }) => isInForce) ?? oldest;
  const others = versions.map(({ key }) => key).filter((key) => key !== present);
  const [hash, ...earlier] = [createHasher(present), ...others.map(createHasher)] as const;
  return {
    sealer: createSealer([present, ...others]),
    present,
    hashes: (text) => [hash(text), ...earlier.map((each) => each(text))],
    at: (time) => (versions.find(({ since }) => since <= time) ?? oldest).key,
  };
}

/**
 * @param keysOf the opened keys of each purpose, as they are at each call
 * @param assertFresh throws where this process may have missed a renewal, so that it stores nothing under a former key
 */
export function createKeyring(
  keysOf: (purpose: KeyPurpose) => PurposeKeys,
  assertFresh: () => void = () => undefined,
): Keyring {
  const secretHashes = (secret: string, owner: string) =>
    keysOf('credential-hashes').hashes(`${owner}:${secret}`);
  return {
    hashSecret(secret, owner) {
      assertFresh();
      return secretHashes(secret, owner)[0];
    },
    secretHashes,
    isHashOf: (stored, secret, owner) => secretHashes(secret, owner).some((hash) => isEqual(stored, hash)),
    secretFor: (purpose, at) => (at ? keysOf(purpose).at(at) : keysOf(purpose).present),
    sealer: (purpose) => ({
      seal(plaintext, context) {
        assertFresh();
        return keysOf(purpose).sealer.seal(plaintext, context);
      },
      open: (sealed, context) => keysOf(purpose).sealer.open(sealed, context),
    }),
  };
}

/** The keyring of keys that are never renewed. @param keyOf the key of each purpose, 32 bytes */
export function constantKeyring(keyOf: (purpose: KeyPurpose) => Buffer): Keyring {
  const known = new Map<KeyPurpose, PurposeKeys>();
  const always = { since: new Date(0), isInForce: true };
  return createKeyring((purpose) => {
    const keys = known.get(purpose) ?? purposeKeys([{ key: keyOf(purpose), ...always }]);
    known.set(purpose, keys);
    return keys;
  });
}
