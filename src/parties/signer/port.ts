import type { Sql } from '../../kernel/db/database';
import { Problem } from '../../kernel/errors';
import type { ChainKind, SignedAuthorization, UnsignedTransaction } from '../chain/port';

/** A signed transaction. Only the sender's key can make it, and any change invalidates it. */
export interface SignedTransaction {
  /** The bytes to broadcast, 0x…. */
  raw: string;
  /** The transaction's hash, known before the broadcast. */
  hash: string;
}

/** Delegation of a wallet to a contract: the chain id, never 0 (valid on every chain), and the wallet's next nonce. */
export type Authorization = Pick<SignedAuthorization, 'chainId' | 'contract' | 'nonce'>;

/** No signing process has answered in time. It may sign later, so the same request is made again. */
export class SignerAway extends Problem {
  override name = 'SignerAway';
  constructor() {
    super(503, 'unavailable', 'The signing process does not answer; nothing was signed.', undefined, 5);
  }
}

/** The signing process refuses, for the allow-list does not admit it. */
export class SignerRefused extends Problem {
  override name = 'SignerRefused';
  /** @param reason a sentence */
  constructor(reason: string) {
    super(409, 'invalid_transition', `The signing process has refused. ${reason}`);
  }
}

/**
 * Holds the keys of our wallets. The product asks the signing process, which alone has the keys that open the seed. A
 * custody service may replace it.
 */
export interface Signer {
  /**
   * The addresses of wallets, in the order of `indices`. Public keys are enough, so no private key is opened.
   * @param tx the transaction that stores the addresses. The public keys are read in it, so that a caller with locks
   * needs no second connection. The seed cannot be replaced before `tx` ends.
   * @throws Problem 503 while there is no seed
   */
  addresses(kind: ChainKind, indices: readonly number[], tx?: Sql): Promise<string[]>;
  /**
   * Signs for the wallet at that index. The same transaction gives the same bytes.
   * @throws SignerAway, SignerRefused; Error when the wallet at that index is not `transaction.from`
   */
  sign(index: number, transaction: UnsignedTransaction): Promise<SignedTransaction>;
  /**
   * Signs that a wallet takes the code of a contract (EIP-7702). Anybody may submit the signature, so the contract
   * decides what it permits.
   * @throws SignerAway, SignerRefused
   */
  signAuthorization(index: number, given: Authorization): Promise<SignedAuthorization>;
}
