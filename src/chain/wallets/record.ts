import { conflict } from '../../kernel/errors';
import type { Decimal } from '../../kernel/money/money';

export const WALLET_STATUSES = ['available', 'allocated', 'quarantined', 'disabled'] as const;
export type WalletStatus = (typeof WALLET_STATUSES)[number];

/** What may be swept: nobody pays to it now, and no operator has taken it out. */
export const SWEEPABLE: readonly WalletStatus[] = ['available', 'quarantined'];

/**
 * The one use that a wallet is bound to for ever. Many senders of the native coin give a payment 21,000 gas, which cannot pay an address that has
 * delegated. So a wallet that was allocated for the native coin never delegates, and one that delegates is never allocated for it.
 */
export type WalletBond = 'native_coin' | 'delegation';

/** An address of ours on a chain. No key is kept: it is derived by its index. */
export interface Wallet {
  id: string;
  chain: string;
  /** Checksummed. */
  address: string;
  /** Of the derivation: m/44'/60'/0'/0/index. */
  derivationIndex: number;
  /** A pool wallet takes deposits; a station pays for gas. */
  purpose: 'pool' | 'station';
  status: WalletStatus;
  /** Until then it takes no other payer's money; null unless it is quarantined. */
  quarantinedUntil: Date | null;
  /** null: neither yet. */
  boundTo: WalletBond | null;
  /** What a person has noted of the gas on it, in the native coin, and when; the chain's own answer may be another. */
  gasBalance: Decimal | null;
  gasBalanceAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The life of a wallet. No status is assigned but by a row of this table. */
export const WALLET_TRANSITIONS = [
  { from: 'available', on: 'allocate', to: 'allocated' },
  { from: 'quarantined', on: 'allocate', to: 'allocated' }, // its time has passed
  { from: 'allocated', on: 'end', to: 'quarantined' },
  { from: 'quarantined', on: 'return', to: 'available' },
  { from: 'available', on: 'disable', to: 'disabled' },
  { from: 'allocated', on: 'disable', to: 'disabled' },
  { from: 'quarantined', on: 'disable', to: 'disabled' },
  { from: 'disabled', on: 'enable', to: 'quarantined' }, // its last payer may pay still
] as const satisfies { from: WalletStatus; on: string; to: WalletStatus }[];

export type WalletTrigger = (typeof WALLET_TRANSITIONS)[number]['on'];

/** @throws Problem 409 `invalid_transition` */
export function walletStatusAfter(from: WalletStatus, on: WalletTrigger): WalletStatus {
  const row = WALLET_TRANSITIONS.find((each) => each.from === from && each.on === on);
  if (!row) throw conflict('invalid_transition', `The wallet is ${from}.`);
  return row.to;
}

/** A wallet that is kept for one payer's deposits, for a time. */
export interface Allocation {
  id: string;
  walletId: string;
  chain: string;
  address: string;
  tenantId: string;
  accountId: string;
  /** A symbol of the network's assets. */
  asset: string;
  /** The client's, unique within the tenant. */
  reference: string;
  /** null: until it is released. */
  expiresAt: Date | null;
  startedAt: Date;
  /** Released, or expired. */
  endedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}
