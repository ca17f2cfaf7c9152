import { hash } from 'node:crypto';
import { isEqual } from '../../kernel/security/is-equal';
import type { Keyring } from '../../kernel/security/keyring';
import { MARK_BYTES } from '../../kernel/security/sealer';

/**
 * Proofs that somebody has a secret or a token: its keyed hashes, under every version of the key, that of now first. It takes
 * the secret and the installation's key to make one.
 */
export const proofsOf = (keyring: Keyring, secret: string): readonly [Buffer, ...Buffer[]] =>
  keyring.secretHashes(secret, 'desk');

/**
 * The stored form of a proof: the mark of its key, and its SHA-256. Functions of Postgres compare it with a proof, which
 * nobody finds from the stored form.
 */
export const storedProof = (proof: Buffer): Buffer =>
  Buffer.concat([proof.subarray(0, MARK_BYTES), hash('sha256', proof, 'buffer')]);

/** The stored form of a new secret or token. */
export const storedSecret = (keyring: Keyring, secret: string): Buffer =>
  storedProof(keyring.hashSecret(secret, 'desk'));

/** The stored forms of a secret or a token, by one of which it is found. */
export const storedSecrets = (keyring: Keyring, secret: string): Buffer[] =>
  proofsOf(keyring, secret).map(storedProof);

/** The proof of a stored form, compared in constant time. Undefined: none of them. */
export const matchingProof = (stored: Buffer, proofs: readonly Buffer[]): Buffer | undefined =>
  proofs.find((proof) => isEqual(stored, storedProof(proof)));
