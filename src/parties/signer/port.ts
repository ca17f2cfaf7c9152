import type { Sql } from '../../kernel/db/database';
import type { ChainKind, SignedAuthorization, UnsignedTransaction } from '../chain/port';

/** A signed transaction. Only the sender's key can make it, and any change invalidates it. */
export interface SignedTransaction {
  /** The bytes to broadcast, 0x…. */
  raw: string;
  /** The transaction's hash, known before the broadcast. */
  hash: string;
}

/**
 * Holds the keys of our wallets. The local signer derives them from a sealed seed (BIP-39, BIP-44), and has a key in
 * memory only while it signs. A custody service may replace it.
 */
export interface Signer {
  /**
   * The addresses of wallets, in the order of `indices`. Public keys are enough, so no private key is opened.
   * @param tx the transaction that stores the addresses. The local signer reads its public keys in it, so that a caller
   * with locks needs no second connection. The seed cannot be replaced before `tx` ends.
   */
  addresses(kind: ChainKind, indices: readonly number[], tx?: Sql): Promise<string[]>;
  /**
   * Signs for the wallet at that index. The same transaction gives the same bytes.
   * @throws Error when the wallet at that index is not `transaction.from`
   */
  sign(index: number, transaction: UnsignedTransaction): Promise<SignedTransaction>;
  /**
   * Signs that a wallet takes the code of a contract (EIP-7702). Anybody may submit the signature, so the contract
   * decides what it permits.
   * @param given the chain id, never 0 (valid on every chain); the contract; the wallet's next nonce
   */
  signAuthorization(
    index: number,
    given: Pick<SignedAuthorization, 'chainId' | 'contract' | 'nonce'>,
  ): Promise<SignedAuthorization>;
}
