import { hash } from 'node:crypto';
import type { Keyring } from '../../kernel/security/keyring';

/** The proof that somebody has a secret or a token: its keyed hash, for which it takes the secret and the installation's key. */
export const proofOf = (keyring: Keyring, secret: string): Buffer => keyring.hashSecret(secret, 'desk');

/** The stored form of a proof. Functions of Postgres compare it with a proof, which nobody finds from the stored form. */
export const storedProof = (proof: Buffer): Buffer => hash('sha256', proof, 'buffer');

/** The stored form of the proof of a secret or a token. */
export const storedSecret = (keyring: Keyring, secret: string): Buffer =>
  storedProof(proofOf(keyring, secret));
