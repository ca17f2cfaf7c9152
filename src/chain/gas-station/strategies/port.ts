import type { Call, ChainNode, FeeModel, SignedAuthorization } from '../../../parties/chain/port';

export const SWEEP_STRATEGIES = ['transfer', 'delegated'] as const;
export type SweepStrategyName = (typeof SWEEP_STRATEGIES)[number];

/** An amount of a token to move from a wallet to the treasury. Addresses are checksummed. */
export interface Sweep {
  wallet: string;
  token: string;
  /** In the token's smallest units. */
  units: bigint;
  treasury: string;
  /** Null when the chain has no station. */
  station: string | null;
}

/** The chain's nodes, and our signer for authorizations. */
export interface SweepParties {
  node: ChainNode;
  chain: string;
  chainId: number;
  feeModel: FeeModel;
  /** Signs a wallet's delegation to a contract. */
  authorize(
    wallet: string,
    given: Pick<SignedAuthorization, 'contract' | 'nonce'>,
  ): Promise<SignedAuthorization>;
}

/**
 * How a token leaves a wallet: the transaction and its sender. Every strategy's result is read from the token's
 * Transfer logs from the wallet to the treasury.
 */
export interface SweepStrategy {
  name: SweepStrategyName;
  /** Signs, sends and pays for gas. A `wallet` needs a top-up first. */
  sender: 'wallet' | 'station';
  /**
   * The transaction of a sweep, except its nonce and prices.
   * @throws ChainAway
   */
  callOf(parties: SweepParties, sweep: Sweep): Promise<Call>;
}
