import type { Sql } from '../../kernel/db/database';
import type { ChainKind, SignedAuthorization, UnsignedTransaction } from '../chain/port';

/** A transaction, signed: nothing but its sender's key could have made it, and nobody can change it. */
export interface SignedTransaction {
  /** 0x…: what a node is handed. */
  raw: string;
  /** Its name on the chain, known before it is broadcast. */
  hash: string;
}

/**
 * Holds the keys of our wallets. The local one derives them from a sealed seed (BIP-39, BIP-44) and has a key in memory while it
 * signs; a custody service could take its place.
 */
export interface Signer {
  /**
   * The addresses of wallets by their place in the derivation, in the order asked for; no key is opened for them where the
   * extended public key suffices.
   * @param tx the transaction that records them: the local signer reads its public keys in it, so that no second connection is
   *   waited for while it holds locks, and keeps the seed from being replaced before it has ended
   */
  addresses(kind: ChainKind, indices: readonly number[], tx?: Sql): Promise<string[]>;
  /**
   * Signs for the wallet of that place. The same transaction gives the same bytes.
   * @throws Error when the wallet of that place is not `transaction.from`
   */
  sign(index: number, transaction: UnsignedTransaction): Promise<SignedTransaction>;
  /**
   * Signs that the wallet of that place takes the code of a contract (EIP-7702). It is a word of the wallet, which anybody may hand
   * to the chain, so the contract decides what can be done with it.
   * @param given the chain by its id, never 0 (which holds on every chain); the contract; the wallet's next nonce
   */
  signAuthorization(
    index: number,
    given: Pick<SignedAuthorization, 'chainId' | 'contract' | 'nonce'>,
  ): Promise<SignedAuthorization>;
}
