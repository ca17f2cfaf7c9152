import type { Call, ChainNode, SignedAuthorization } from '../../../parties/chain/port';

export const SWEEP_STRATEGIES = ['transfer', 'delegated'] as const;
export type SweepStrategyName = (typeof SWEEP_STRATEGIES)[number];

/** A token's balance that is to go from a wallet to the treasury. Addresses are checksummed. */
export interface Sweep {
  wallet: string;
  token: string;
  /** The whole balance, of the token's smallest unit. */
  units: bigint;
  treasury: string;
  /** Null: the chain has none. */
  station: string | null;
}

/** Whom a strategy asks: what stands on the chain, and for a wallet's own word. */
export interface SweepParties {
  node: ChainNode;
  chain: string;
  chainId: number;
  /** A wallet of ours signs that it takes the code of a contract. */
  authorize(
    wallet: string,
    given: Pick<SignedAuthorization, 'contract' | 'nonce'>,
  ): Promise<SignedAuthorization>;
}

/**
 * How a token gets off a wallet: which transaction, and whose. What it has moved is read from the Transfer logs of its receipt, of
 * the token, from the wallet to the treasury: so it is in every strategy.
 */
export interface SweepStrategy {
  name: SweepStrategyName;
  /** Who signs and sends it, and pays for its gas: a `wallet` needs a top-up first. */
  sender: 'wallet' | 'station';
  /** The transaction of a sweep, but for its nonce and its prices. @throws ChainAway */
  callOf(parties: SweepParties, sweep: Sweep): Promise<Call>;
}
