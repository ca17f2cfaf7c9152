/** A recovery of a token that no network lists, from an address of ours to the treasury. Its sweep executes it. */
export interface TokenRecovery {
  /** Id of the sweep. */
  operationId: string;
  chain: string;
  walletId: string;
  address: string;
  /** The token's contract. */
  token: string;
  /** The treasury. */
  treasury: string;
  reason: string | null;
  /** `operator:<name>`, who has approved it. */
  decidedBy: string;
  /** Balances by the token's contract before the order, in its smallest units. A contract may lie, so nothing is posted by them. */
  unitsBefore: bigint;
  treasuryBefore: bigint;
  /** The same after the transaction. Null before the end, and where the contract does not answer. */
  unitsAfter: bigint | null;
  treasuryAfter: bigint | null;
  /** Block of the transaction. */
  blockNumber: number | null;
  createdAt: Date;
}
