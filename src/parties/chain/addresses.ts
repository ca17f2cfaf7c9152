import { ECDH } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3';
import { getAddress, type Hex, isAddress, zeroAddress } from 'viem';
import type { ChainKind } from './port';

/** How a kind of chain writes addresses and hashes. */
const WRITTEN: Record<
  ChainKind,
  { address: (text: string) => string | undefined; zero: string; hash: RegExp }
> = {
  evm: { address: checkedEvm, zero: zeroAddress, hash: /^0x[0-9a-f]{64}$/i },
};

/**
 * The one spelling of an address.
 * @param text EVM: 0x and 40 hexadecimal digits, in one case or with the checksum of EIP-55
 * @returns checksummed; nothing for what is no address of that kind, a wrong checksum among it
 */
export const checkedAddress = (kind: ChainKind, text: string): string | undefined =>
  WRITTEN[kind].address(text);

/** The account of twenty zero bytes: nobody has its key, and what is sent there is lost. @param address checksummed */
export const isZeroAddress = (kind: ChainKind, address: string): boolean => address === WRITTEN[kind].zero;

/** @param publicKey of secp256k1, compressed (33 bytes) or not (65) */
export function evmAddressOf(publicKey: Uint8Array): string {
  const point = ECDH.convertKey(publicKey, 'secp256k1', undefined, undefined, 'uncompressed') as Buffer;
  return getAddress(`0x${Buffer.from(keccak_256(point.subarray(1)).subarray(-20)).toString('hex')}`);
}

/**
 * The one spelling of a transaction's hash.
 * @returns in small letters; nothing for what is none of that kind
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

/** For what viem takes: an address of ours is one already. */
export const asHex = (address: string): Hex => address as Hex;
