import { createHash } from 'node:crypto';
import type { PublicKeys } from './derivation';

/** Length of a fingerprint in hexadecimal digits: 80 bits, which people can compare by eye. */
const FINGERPRINT_DIGITS = 20;
export const FINGERPRINT = /^[0-9a-f]{4}(-[0-9a-f]{4}){4}$/;

/**
 * Names a seed without telling its keys or addresses: the start of SHA-256 of its extended public key, as
 * `0123-4567-89ab-cdef-0123`.
 */
export const fingerprintOf = ({ evm }: PublicKeys): string =>
  (
    createHash('sha256')
      .update(`wallet seed ${evm}`)
      .digest('hex')
      .slice(0, FINGERPRINT_DIGITS)
      .match(/.{4}/g) ?? []
  ).join('-');
