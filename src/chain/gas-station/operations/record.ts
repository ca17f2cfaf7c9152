export const GAS_OPERATION_TYPES = ['sweep', 'topup'] as const;
export type GasOperationType = (typeof GAS_OPERATION_TYPES)[number];

export const GAS_OPERATION_STATUSES = [
  ...(['pending', 'awaiting_confirmation', 'confirming', 'completed', 'failed', 'expired'] as const),
] as const;
export type GasOperationStatus = (typeof GAS_OPERATION_STATUSES)[number];

/** The life of an operation. No status is assigned but by a row of this table. */
export const GAS_OPERATION_TRANSITIONS = [
  // Its transaction is made: exported for a person, or signed here.
  { from: 'pending', on: 'hand_over', to: 'awaiting_confirmation' },
  // A transaction that is to be it has a name on the chain.
  { from: 'pending', on: 'follow', to: 'confirming' },
  { from: 'awaiting_confirmation', on: 'follow', to: 'confirming' },
  // What was followed turned out to be another transaction, or was dropped.
  { from: 'confirming', on: 'forget', to: 'awaiting_confirmation' },
  { from: 'pending', on: 'complete', to: 'completed' },
  { from: 'awaiting_confirmation', on: 'complete', to: 'completed' },
  { from: 'confirming', on: 'complete', to: 'completed' },
  { from: 'pending', on: 'fail', to: 'failed' },
  { from: 'awaiting_confirmation', on: 'fail', to: 'failed' },
  { from: 'confirming', on: 'fail', to: 'failed' },
  { from: 'pending', on: 'expire', to: 'expired' },
  { from: 'awaiting_confirmation', on: 'expire', to: 'expired' },
  { from: 'confirming', on: 'expire', to: 'expired' },
] as const satisfies { from: GasOperationStatus; on: string; to: GasOperationStatus }[];

export type GasOperationTrigger = (typeof GAS_OPERATION_TRANSITIONS)[number]['on'];

/** Why an operation that could go on does not; it is tried again. */
export const WAITS = [
  'gas_price', // the base fee is above the cap
  'daily_budget',
  'gas', // the sender has too little of the native coin
  'nothing', // there is nothing to move
  'refused', // the chain would revert it, or does not take it
  'nodes_disagree', // about its block, or how many transactions its sender has in blocks
  'nonce_taken', // by a transaction that is none of ours
  'nonce_gap', // an earlier transaction of the sender is in no block, or the node tells of more than there can be
  'stopped', // by the configuration, or by the status of a wallet
  'wrong_transaction', // what was confirmed is another transaction: the next one is waited for
] as const;
export type WaitsFor = (typeof WAITS)[number];

/** Money that is moved between addresses of ours by one transaction. Units are the chain's. */
export interface GasOperation {
  id: string;
  type: GasOperationType;
  chain: string;
  /** The wallet that is swept, or given gas. */
  walletId: string;
  /** Of a sweep: the wallet was the chain's station, so what it has stands in the books of the station, and not of the pool. */
  ofStation: boolean;
  /** A symbol of the network; of a top-up the native coin's. */
  asset: string;
  /** The asset's contract as it was when the operation was created; null: the native coin. */
  token: string | null;
  /** Of the asset on its chain. */
  decimals: number;
  /** Whose money it is: the wallet of a sweep, the station of a top-up. */
  fromAddress: string;
  /** Who sends a sweep in place of its wallet, and pays for gas; null: `fromAddress` does. */
  stationAddress: string | null;
  /** The operation whose transaction it is part of; null: it has one of its own. */
  batchOf: string | null;
  /** The treasury, or the wallet. */
  toAddress: string;
  /** What is to leave `fromAddress`; what is made of it may move more, for the balance grows. */
  units: bigint;
  /** `local`: signed and broadcast here; `manual`: exported, and confirmed by a person. */
  execution: 'local' | 'manual';
  status: GasOperationStatus;
  waitsFor: WaitsFor | null;
  /** What was confirmed, or is followed; of those broadcast here the one that is in a block. */
  txHash: string | null;
  /** What has arrived, and what the token itself has taken on the way. */
  movedUnits: bigint | null;
  lostUnits: bigint | null;
  /** Gas used × effective price, of the native coin. */
  feeUnits: bigint | null;
  failureCode: string | null;
  failureReason: string | null;
  /** Why a person has cancelled what was signed; null: nobody has. */
  cancelReason: string | null;
  expiresAt: Date;
  exportedAt: Date | null;
  /** Where the chain stood at the first export: its transaction is in no earlier block. */
  exportedBlock: number | null;
  /** When what the chain says was booked. */
  executedAt: Date | null;
  dueBy: Date | null;
  /** Counts its changes: what was asked of the chain meanwhile holds for one of them. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}
