import { ECDH } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3';
import { getAddress, type Hex, isAddress, zeroAddress } from 'viem';
import type { ChainKind } from './port';

/** How each kind of chain writes addresses and hashes. */
const WRITTEN: Record<
  ChainKind,
  { address: (text: string) => string | undefined; zero: string; hash: RegExp }
> = {
  evm: { address: checkedEvm, zero: zeroAddress, hash: /^0x[0-9a-f]{64}$/i },
};

/**
 * Returns the canonical spelling of an address.
 * @param text EVM: 0x and 40 hexadecimal digits, in one case or with the checksum of EIP-55
 * @returns checksummed; undefined for any other text and for a wrong checksum
 */
export const checkedAddress = (kind: ChainKind, text: string): string | undefined =>
  WRITTEN[kind].address(text);

/**
 * Whether the address is the zero address. Nobody has its key, so coins sent there are lost.
 * @param address checksummed
 */
export const isZeroAddress = (kind: ChainKind, address: string): boolean => address === WRITTEN[kind].zero;

/** Derives the address of a public key. @param publicKey secp256k1, compressed (33 bytes) or uncompressed (65) */
export function evmAddressOf(publicKey: Uint8Array): string {
  const point = ECDH.convertKey(publicKey, 'secp256k1', undefined, undefined, 'uncompressed') as Buffer;
  return getAddress(`0x${Buffer.from(keccak_256(point.subarray(1)).subarray(-20)).toString('hex')}`);
}

/**
 * Returns the canonical spelling of a transaction's hash.
 * @returns in lower case; undefined for a text that is not a hash of that kind
 */
export const checkedHash = (kind: ChainKind, text: string): string | undefined =>
  WRITTEN[kind].hash.test(text) ? text.toLowerCase() : undefined;

function checkedEvm(text: string): string | undefined {
  if (!isAddress(text, { strict: false })) return undefined;
  const checksummed = getAddress(text);
  const digits = text.slice(2);
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || text === checksummed ? checksummed : undefined;
}

/** Casts for viem. Our addresses already have its format. */
export const asHex = (address: string): Hex => address as Hex;
