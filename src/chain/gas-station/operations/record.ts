export const GAS_OPERATION_TYPES = ['sweep', 'topup'] as const;
export type GasOperationType = (typeof GAS_OPERATION_TYPES)[number];

export const GAS_OPERATION_STATUSES = [
  ...(['pending', 'awaiting_confirmation', 'confirming', 'completed', 'failed', 'expired'] as const),
] as const;
export type GasOperationStatus = (typeof GAS_OPERATION_STATUSES)[number];

/** The states of an operation. Every change of status is a row of this table. */
export const GAS_OPERATION_TRANSITIONS = [
  // A transaction was exported for a person, or signed here.
  { from: 'pending', on: 'hand_over', to: 'awaiting_confirmation' },
  // A transaction with a known hash is on its way.
  { from: 'pending', on: 'follow', to: 'confirming' },
  { from: 'awaiting_confirmation', on: 'follow', to: 'confirming' },
  // The followed transaction was another one, or was dropped.
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

/** Why an operation has failed: a person failed it, or its transaction was reverted or moved nothing. */
export const GAS_FAILURES = ['by_operator', 'reverted', 'no_transfer'] as const;
export type GasFailure = (typeof GAS_FAILURES)[number];

/** Why an open operation waits. It is tried again. */
export const WAITS = [
  'gas_price', // the base fee is above the cap
  'daily_budget',
  'gas', // the sender has too little of the native coin
  'nothing', // the balance is empty
  'refused', // the chain would revert it, or refuses it
  'nodes_disagree', // nodes disagree about its block, or about its sender's mined transactions
  'nonce_taken', // an unknown transaction has used the nonce
  'nonce_gap', // an earlier transaction of the sender is unmined, or nodes report more than possible
  'stopped', // stopped by the configuration or by a wallet's status
  'signer', // the signing process does not answer
  'not_allowed', // the signing process refuses: its allow-list does not admit the transaction
  'wrong_transaction', // another transaction was confirmed; waits for the right one
] as const;
export type WaitsFor = (typeof WAITS)[number];

/**
 * Stands for the asset of a token that no network lists. The word is no currency, so the ledger books the gas alone. Units of
 * such a token have no decimals.
 */
export const UNLISTED = 'unlisted';

/** Whether the operation is a recovery of a token that no network lists. */
export const isRecovery = ({ asset }: Pick<GasOperation, 'asset'>): boolean => asset === UNLISTED;

/** A movement of money between our addresses by one transaction. Units are the chain's. */
export interface GasOperation {
  id: string;
  type: GasOperationType;
  chain: string;
  /** The wallet that is swept or given gas. */
  walletId: string;
  /** The swept wallet was a station, so its balance is in the station's books instead of the pool's. */
  ofStation: boolean;
  /** A symbol of the network. For a top-up the native coin. */
  asset: string;
  /** The asset's contract at the operation's creation. Null: the native coin. */
  token: string | null;
  /** Decimals of the asset on its chain. */
  decimals: number;
  /** Owner of the money: the wallet of a sweep, the station of a top-up. */
  fromAddress: string;
  /** Station that sends and pays for a sweep in place of its wallet. Null: `fromAddress` does. */
  stationAddress: string | null;
  /** The operation whose transaction this one shares. Null: it has its own. */
  batchOf: string | null;
  /** The treasury of a sweep, or the wallet of a top-up. */
  toAddress: string;
  /** Least amount that leaves `fromAddress`. The transaction may move more, because the balance may grow. */
  units: bigint;
  /** `local`: signed and broadcast here; `manual`: exported, and confirmed by a person. */
  execution: 'local' | 'manual';
  status: GasOperationStatus;
  waitsFor: WaitsFor | null;
  /** Hash that was confirmed or is followed. For operations signed here, the attempt that a block has. */
  txHash: string | null;
  /** Units that arrived, and units that the token itself kept. */
  movedUnits: bigint | null;
  lostUnits: bigint | null;
  /** Gas used × effective price, in the native coin. */
  feeUnits: bigint | null;
  failureCode: GasFailure | null;
  failureReason: string | null;
  /** Reason of a person's cancellation. Null when nobody has cancelled. */
  cancelReason: string | null;
  expiresAt: Date;
  exportedAt: Date | null;
  /** Newest block at the first export. No earlier block can have the transaction. */
  exportedBlock: number | null;
  /** Height below which the nodes have no news of its transaction, so they are not asked. Null: unknown. */
  newsFrom: number | null;
  /** When the execution was booked. */
  executedAt: Date | null;
  dueBy: Date | null;
  /** Counts changes, so that an answer of the chain is applied only to the revision that it was asked for. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}
