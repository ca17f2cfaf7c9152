import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { invalid } from '../../kernel/errors';

/** What the wallets' keys are derived from: the entropy of a mnemonic, and its passphrase (BIP-39). */
export interface SeedSecret {
  /** 16 to 32 bytes. */
  entropy: Uint8Array;
  /** Empty: none. */
  passphrase: string;
}

/** First byte of a secret with a passphrase. Entropy alone has 32 bytes at most, and such a secret has more. */
const WITH_PASSPHRASE = 1;
const HEAD_BYTES = 2;
const ENTROPY_BYTES = 32;
const MAX_PASSPHRASE = 256;

/** The bytes that are sealed. Entropy without a passphrase stays as it is, because earlier releases read it so. */
export function packSecret({ entropy, passphrase }: SeedSecret): Buffer {
  if (passphrase === '') return Buffer.from(entropy);
  const text = Buffer.from(passphrase.normalize('NFKD'));
  const packed = Buffer.alloc(HEAD_BYTES + ENTROPY_BYTES + text.length);
  packed[0] = WITH_PASSPHRASE;
  packed[1] = entropy.length;
  packed.set(entropy, HEAD_BYTES);
  packed.set(text, HEAD_BYTES + ENTROPY_BYTES);
  text.fill(0);
  return packed;
}

/** Opposite of {@link packSecret}. The entropy is a view of the bytes, so that wiping them wipes it. */
export function unpackSecret(packed: Uint8Array): SeedSecret {
  if (packed.length <= ENTROPY_BYTES) return { entropy: packed, passphrase: '' };
  const [form, length = 0] = packed;
  if (form !== WITH_PASSPHRASE || length > ENTROPY_BYTES)
    throw new Error("the wallets' seed has a form that this release does not know");
  return {
    entropy: packed.subarray(HEAD_BYTES, HEAD_BYTES + length),
    passphrase: Buffer.from(packed.subarray(HEAD_BYTES + ENTROPY_BYTES)).toString('utf8'),
  };
}

/**
 * @param mnemonic 12 to 24 English words (BIP-39)
 * @throws Problem 400 naming `mnemonic` for wrong words or a wrong checksum; the message does not repeat them
 */
export function entropyOf(mnemonic: string): Uint8Array {
  const words = mnemonic.trim().toLowerCase().split(/\s+/);
  const known = new Set(wordlist);
  const wrong = words.findIndex((word) => !known.has(word));
  if (words.length > 1 && wrong >= 0)
    throw invalid(`mnemonic: word ${wrong + 1} is not in the English list of BIP-39.`, 'mnemonic');
  try {
    return mnemonicToEntropy(words.join(' '), wordlist);
  } catch {
    throw invalid('mnemonic must be 12 to 24 English words with their checksum (BIP-39).', 'mnemonic');
  }
}

export const mnemonicOf = (entropy: Uint8Array): string => entropyToMnemonic(entropy, wordlist);

/** @throws Problem 400 naming `passphrase` */
export function requirePassphrase(given: string): string {
  if (given.length === 0 || given.length > MAX_PASSPHRASE)
    throw invalid(`passphrase must have 1 to ${MAX_PASSPHRASE} characters.`, 'passphrase');
  return given;
}
