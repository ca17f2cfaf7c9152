import type { SignedAuthorization } from '../../../../parties/chain/port';

/** A transaction of an address of ours, or one that replaces it under the same nonce. Units are the chain's. */
export interface Attempt {
  number: string;
  chain: string;
  address: string;
  nonce: number;
  /** 0 is the first; each further one is dearer. */
  attempt: number;
  operationId: string;
  /** The `to` of the transaction. */
  recipient: string;
  value: bigint;
  data: string;
  /** Of wallets whose code is another from then on (EIP-7702). */
  authorizations: readonly SignedAuthorization[];
  /** It moves nothing, and is sent so that the operation's own transaction can be in no block. */
  cancels: boolean;
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** Signed here; null: not yet, or it is a person who signs. */
  raw: string | null;
  /** Of what was signed here, or was executed elsewhere and reverted. */
  hash: string | null;
  broadcastAt: Date | null;
  /** How often in a row all nodes have refused it. */
  refusals: number;
  settledAt: Date | null;
  releasedAt: Date | null;
  createdAt: Date;
}
