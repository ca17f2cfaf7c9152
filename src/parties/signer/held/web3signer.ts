import { getAddress, type Hex, toHex } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { type HeldKey, HeldKeyFault, type RawSignature } from './key';

const ANSWER_MS = 4_000;
/** Most bytes of an answer that are read. */
const MAX_BYTES = 1_000_000;

const publicKeys = z.array(z.string().regex(/^0x(04)?[0-9a-f]{128}$/i)).max(10_000);
const SIGNATURE = /^0x([0-9a-f]{64})([0-9a-f]{64})[0-9a-f]{2}$/i;

/**
 * A key of a Web3Signer in its mode `eth1`.
 *
 * `POST /api/v1/eth1/sign/{identifier}` hashes the bytes (Keccak-256) and signs the digest. We send the serialised
 * transaction itself, so that no answer can be another transaction. `eth_signTransaction` would write a transaction of its
 * own, with a chain id of its own.
 * @param url without a trailing slash
 */
export function web3SignerKey(address: string, url: string): HeldKey {
  let identifier: string | undefined;
  const fault = (kind: 'away' | 'refused' | 'wrong', reason: string) =>
    new HeldKeyFault(address, kind, reason);

  async function asked(path: string, body?: object): Promise<string> {
    const request = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const answer = await fetch(url + path, {
      ...request,
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'error',
    }).catch((error: Error) => {
      throw fault('away', `the Web3Signer does not answer: ${wordsOf(error)}.`);
    });
    const text = await answer.text().catch((error: Error) => {
      throw fault('away', `the Web3Signer's answer broke off: ${wordsOf(error)}.`);
    });
    if (answer.ok && text.length <= MAX_BYTES) return text;
    if (answer.ok) throw fault('wrong', `the Web3Signer's answer is too long.`);
    throw fault(isPatience(answer.status) ? 'away' : 'refused', `the Web3Signer answers ${answer.status}.`);
  }

  /** Finds the public key of the address, which names the key in the path. */
  async function found(): Promise<string> {
    if (identifier !== undefined) return identifier;
    const { success, data } = publicKeys.safeParse(jsonOf(await asked('/api/v1/eth1/publicKeys')));
    if (!success) throw fault('wrong', 'the Web3Signer has answered with no list of public keys.');
    identifier = data.find((key) => addressOfKey(key) === address);
    if (identifier === undefined) throw fault('refused', 'the Web3Signer has no key of this address.');
    return identifier;
  }

  return {
    address,
    provider: 'web3signer',
    async told() {
      identifier = undefined; // asks again
      return addressOfKey(await found());
    },
    async sign(payload) {
      const path = `/api/v1/eth1/sign/${await found()}`;
      const signature = signatureOfText(await asked(path, { data: toHex(payload) }));
      if (!signature) throw fault('wrong', 'the Web3Signer has answered with no signature of 65 bytes.');
      return signature;
    },
  };
}

/** Statuses after which the same request may succeed. */
const isPatience = (status: number): boolean => status === 408 || status === 429 || status >= 500;

const addressOfKey = (key: string): string => {
  const point = key.length === 130 ? (`0x04${key.slice(2)}` as const) : (key as Hex);
  return getAddress(publicKeyToAddress(point));
};

function signatureOfText(text: string): RawSignature | undefined {
  const [, r, s] = SIGNATURE.exec(text.trim().replace(/^"|"$/g, '')) ?? [];
  return r && s ? { r: BigInt(`0x${r}`), s: BigInt(`0x${s}`) } : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const wordsOf = ({ message, cause }: Error): string =>
  cause instanceof Error && cause.message !== '' ? cause.message : message;
