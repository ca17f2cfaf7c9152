import {
  concatHex,
  type Hex,
  hexToBytes,
  keccak256,
  numberToHex,
  parseTransaction,
  recoverAddress,
  serializeTransaction,
  toRlp,
} from 'viem';
import { asHex } from '../../chain/addresses';
import type { SignedAuthorization, UnsignedTransaction } from '../../chain/port';
import type { Authorization, SignedTransaction, Signer } from '../port';
import { typedTransaction } from '../typed';
import type { KeptSignatures, Signature } from './kept';
import { type HeldKey, HeldKeyFault, type RawSignature } from './key';

/** Order of secp256k1. A signature with `s` in the upper half is not valid on a chain (EIP-2). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * Signs with keys that other systems hold. The index of a key is its place in the list. The bytes are written here and no
 * provider's answer is trusted: a signature counts only when it recovers to the key's address over our own digest.
 * @param kept signatures that were made before, because a provider's signature of the same bytes is another each time
 */
export function createHeldSigner(keys: readonly HeldKey[], kept: KeptSignatures): Signer {
  async function signed(key: HeldKey, payload: Hex): Promise<Signature> {
    const digest = keccak256(payload);
    const before = await kept.find(digest);
    if (before && (await signerOf(digest, before)) === key.address) return before;
    const made = await proven(key, digest, await key.sign(hexToBytes(payload)));
    const first = await kept.keep(digest, key.address, made, before);
    return (await signerOf(digest, first)) === key.address ? first : made;
  }

  const keyAt = (index: number): HeldKey => {
    const key = keys[index];
    if (!key) throw new Error(`there is no held key ${index}`);
    return key;
  };

  return {
    addresses: async (_, indices) => indices.map((index) => keyAt(index).address),
    async sign(index, transaction) {
      const key = keyAt(index);
      if (key.address !== transaction.from)
        throw new Error(`the wallet at this index is ${key.address}, which is not the sender`);
      return signTransaction(key, transaction, signed);
    },
    async signAuthorization(index, { chainId, contract, nonce }) {
      if (chainId === 0) throw new Error('an authorization needs a chain id above 0');
      const payload = authorizationPayload({ chainId, contract, nonce });
      const { r, s, yParity } = await signed(keyAt(index), payload);
      return { chainId, contract, nonce, yParity, r, s } satisfies SignedAuthorization;
    },
  };
}

async function signTransaction(
  key: HeldKey,
  transaction: UnsignedTransaction,
  signed: (key: HeldKey, payload: Hex) => Promise<Signature>,
): Promise<SignedTransaction> {
  const fields = typedTransaction(transaction);
  const raw = serializeTransaction(fields, await signed(key, serializeTransaction(fields)));
  // Read back, so that no other transaction is ever broadcast.
  const { r: _r, s: _s, v: _v, yParity: _y, ...read } = parseTransaction(raw);
  if (serializeTransaction(read as typeof fields) !== serializeTransaction(fields))
    throw new HeldKeyFault(key.address, 'wrong', 'the signed bytes are another transaction.');
  return { raw, hash: keccak256(raw) };
}

/** The bytes that an authorization signs (EIP-7702). */
const authorizationPayload = ({ chainId, contract, nonce }: Authorization): Hex =>
  concatHex([
    '0x05',
    toRlp([numberToHex(chainId), asHex(contract), nonce === 0 ? '0x' : numberToHex(nonce)]),
  ]);

/** Makes `s` low and finds the parity. @throws HeldKeyFault for a signature of another key */
async function proven(key: HeldKey, digest: Hex, { r, s }: RawSignature): Promise<Signature> {
  const low = s > ORDER / 2n ? ORDER - s : s;
  if (r > 0n && low > 0n && r < ORDER)
    for (const yParity of [0, 1] as const) {
      const signature = { r: numberToHex(r, { size: 32 }), s: numberToHex(low, { size: 32 }), yParity };
      if ((await signerOf(digest, signature)) === key.address) return signature;
    }
  throw new HeldKeyFault(
    key.address,
    'wrong',
    `its provider (${key.provider}) has answered with a signature of another key or of other bytes.`,
  );
}

/** Undefined where no key has made the signature, and for a high `s`, which no chain takes. */
async function signerOf(hash: Hex, signature: Signature): Promise<string | undefined> {
  try {
    return BigInt(signature.s) > ORDER / 2n ? undefined : await recoverAddress({ hash, signature });
  } catch {
    return undefined;
  }
}
