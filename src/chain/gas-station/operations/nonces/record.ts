import type { SignedAuthorization } from '../../../../parties/chain/port';

/** One attempt at a transaction of our address. Replacements share its nonce. Units are the chain's. */
export interface Attempt {
  number: string;
  chain: string;
  address: string;
  nonce: number;
  /** 0 for the first. Each further attempt offers higher prices. */
  attempt: number;
  operationId: string;
  /** The `to` of the transaction. */
  recipient: string;
  value: bigint;
  data: string;
  /** Delegations of wallets to a contract's code (EIP-7702). */
  authorizations: readonly SignedAuthorization[];
  /** Moves nothing. Sent under the nonce so that the operation's own transaction cannot be executed. */
  cancels: boolean;
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** Most that the chain below takes beside gas. */
  dataFee: bigint;
  /** Signed bytes. Null before signing, and for transactions that a person signs. */
  raw: string | null;
  /** Hash of a transaction signed here, or executed elsewhere and reverted. */
  hash: string | null;
  broadcastAt: Date | null;
  /** Consecutive refusals by all nodes. */
  refusals: number;
  settledAt: Date | null;
  releasedAt: Date | null;
  createdAt: Date;
}
