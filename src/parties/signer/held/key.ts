import type { KeyProvider } from '../../../kernel/config/station-keys';

/** A point of an ECDSA signature, as its provider gives it. `s` may be high, and nothing tells the parity. */
export interface RawSignature {
  r: bigint;
  s: bigint;
}

/** A key that another system holds. It never leaves that system, and one key is one address. */
export interface HeldKey {
  /** Checksummed, as the configuration names it. */
  address: string;
  provider: KeyProvider;
  /**
   * The address of the key, as its provider tells.
   * @throws HeldKeyFault
   */
  told(): Promise<string>;
  /**
   * Signs the Keccak-256 digest of bytes.
   * @throws HeldKeyFault
   */
  sign(payload: Uint8Array): Promise<RawSignature>;
}

/**
 * `away`: no answer, or the provider asks for patience. `refused`: the provider denies us the key, so that a person must
 * act. `wrong`: the answer cannot be read, or is another key's.
 */
export type FaultKind = 'away' | 'refused' | 'wrong';

/** A held key has given no usable signature. Nothing was signed, and the same request is made again. */
export class HeldKeyFault extends Error {
  override name = 'HeldKeyFault';
  constructor(
    /** Checksummed address of the key. */
    readonly address: string,
    readonly kind: FaultKind,
    /** A sentence without a secret. */
    readonly reason: string,
  ) {
    super(`The key of ${address}: ${reason}`);
  }
}
