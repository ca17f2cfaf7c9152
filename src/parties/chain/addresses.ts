import { ECDH } from 'node:crypto';
import { sha256 } from '@noble/hashes/sha2';
import { keccak_256 } from '@noble/hashes/sha3';
import { createBase58check } from '@scure/base';
import { getAddress, type Hex, isAddress, zeroAddress } from 'viem';
import type { ChainKind } from './witness';

const base58 = createBase58check(sha256);

/** What an address of TRON's main chain begins with; its text begins with a T. */
const TRON_PREFIX = 0x41;

/** Its length in bytes, of both kinds. */
const ACCOUNT_BYTES = 20;

/**
 * The one spelling of an address.
 * @param text EVM: 0x and 40 hexadecimal digits, in one case or with the checksum of EIP-55; TRON: Base58Check
 * @returns checksummed; nothing for what is no address of that kind, a wrong checksum among it
 */
export function checkedAddress(kind: ChainKind, text: string): string | undefined {
  return kind === 'evm' ? checkedEvm(text) : checkedTron(text);
}

/** The account of twenty zero bytes: nobody has its key, and what is sent there is lost. @param address checksummed */
export const isZeroAddress = (kind: ChainKind, address: string): boolean => address === ZERO_ADDRESSES[kind];

const ZERO_ADDRESSES = {
  evm: zeroAddress,
  tron: base58.encode(Uint8Array.of(TRON_PREFIX, ...new Uint8Array(ACCOUNT_BYTES))),
} as const;

/** @param publicKey of secp256k1, compressed (33 bytes) or not (65) */
export function evmAddressOf(publicKey: Uint8Array): string {
  return getAddress(`0x${Buffer.from(accountOf(publicKey)).toString('hex')}`);
}

/** @param publicKey of secp256k1, compressed (33 bytes) or not (65) */
export function tronAddressOf(publicKey: Uint8Array): string {
  return base58.encode(Uint8Array.of(TRON_PREFIX, ...accountOf(publicKey)));
}

/** The twenty bytes of an account that TRON writes with a prefix and a checksum. @param address checksummed */
export function tronAccountOf(address: string): Hex {
  return `0x${Buffer.from(base58.decode(address).subarray(1)).toString('hex')}`;
}

/** Of a transaction, by the chain's own way to write it: both are 32 bytes, and EVM chains put 0x before them. */
const HASHES: Record<ChainKind, { shape: RegExp; prefix: string }> = {
  evm: { shape: /^0x([0-9a-f]{64})$/i, prefix: '0x' },
  tron: { shape: /^(?:0x)?([0-9a-f]{64})$/i, prefix: '' },
};

/**
 * The one spelling of a transaction's hash.
 * @returns in small letters; nothing for what is none of that kind
 */
export function checkedHash(kind: ChainKind, text: string): string | undefined {
  const { shape, prefix } = HASHES[kind];
  const [, digits] = shape.exec(text) ?? [];
  return digits && prefix + digits.toLowerCase();
}

function checkedEvm(text: string): string | undefined {
  if (!isAddress(text, { strict: false })) return undefined;
  const checksummed = getAddress(text);
  const digits = text.slice(2);
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || text === checksummed ? checksummed : undefined;
}

function checkedTron(text: string): string | undefined {
  const bytes = decoded(text);
  return bytes?.length === 1 + ACCOUNT_BYTES && bytes[0] === TRON_PREFIX ? text : undefined;
}

/** Nothing: not Base58, or its checksum is another. */
function decoded(text: string): Uint8Array | undefined {
  if (text.length !== 34) return undefined; // decoding takes time that grows with the square of it
  try {
    return base58.decode(text);
  } catch {
    return undefined;
  }
}

/** Both kinds name an account by the end of the hash of its key. */
function accountOf(publicKey: Uint8Array): Uint8Array {
  const point = ECDH.convertKey(publicKey, 'secp256k1', undefined, undefined, 'uncompressed') as Buffer;
  return keccak_256(point.subarray(1)).subarray(-ACCOUNT_BYTES);
}

/** For what viem takes: an address of ours is one already. */
export const asHex = (address: string): Hex => address as Hex;
