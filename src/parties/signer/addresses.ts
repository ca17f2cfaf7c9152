import { ECDH } from 'node:crypto';
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { keccak256 } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';

const base58check = createBase58check(sha256);
/** What a TRON address of the main network begins with. */
const TRON_PREFIX = 0x41;

/** @param publicKey of secp256k1, compressed @returns with its checksum (EIP-55) */
export const evmAddress = (publicKey: Uint8Array): string =>
  publicKeyToAddress(`0x${uncompressed(publicKey).toString('hex')}`);

/** @param publicKey of secp256k1, compressed @returns Base58Check of 0x41 and the last 20 bytes of the key's Keccak-256 */
export function tronAddress(publicKey: Uint8Array): string {
  const hash = keccak256(uncompressed(publicKey).subarray(1), 'bytes');
  return base58check.encode(Uint8Array.from([TRON_PREFIX, ...hash.subarray(-20)]));
}

const uncompressed = (publicKey: Uint8Array): Buffer =>
  ECDH.convertKey(publicKey, 'secp256k1', undefined, undefined, 'uncompressed') as Buffer;
