import { conflict } from '../../kernel/errors';
import type { Decimal } from '../../kernel/money/money';

export const WALLET_STATUSES = ['available', 'allocated', 'quarantined', 'disabled'] as const;
export type WalletStatus = (typeof WALLET_STATUSES)[number];

/** Statuses in which a wallet may be swept. An allocated or adopted wallet is swept of booked money only. */
export const SWEEPABLE: readonly WalletStatus[] = ['available', 'quarantined', 'allocated'];

/** The networks that one derivation index may serve: all enabled networks of the EVM. */
export type WalletScope = 'evm';

/**
 * The use to which a wallet is bound for ever. Many senders of the native coin give a payment 21,000 gas, which cannot
 * pay a delegated address. So a wallet that was allocated for the native coin never delegates, and a delegated wallet
 * is never allocated for it.
 */
export type WalletBond = 'native_coin' | 'delegation';

/** An address of ours on a chain. Its key is not stored; it is derived by the index. */
export interface Wallet {
  id: string;
  chain: string;
  /** Checksummed. */
  address: string;
  /** Index in the derivation path m/44'/60'/0'/0/index. */
  derivationIndex: number;
  /** A pool wallet takes deposits; a station pays for gas. */
  purpose: 'pool' | 'station';
  /** Null: the index is this wallet's alone. Otherwise the index has a wallet on each network of the scope. */
  scope: WalletScope | null;
  /** The index was derived for another network, and money has come to its address on this one; or a recovery has made the wallet. */
  adopted: boolean;
  /** Keyed hash by which the product knows a row of its own. Null in a row that it has not written. */
  attestation: Buffer | null;
  status: WalletStatus;
  /** End of the cooldown. Null unless the wallet is quarantined. */
  quarantinedUntil: Date | null;
  /** Null before the first bond. */
  boundTo: WalletBond | null;
  /** Gas balance and time that a person has noted, in the native coin. The chain's answer may differ. */
  gasBalance: Decimal | null;
  gasBalanceAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The states of a wallet. Every change of status is a row of this table. */
export const WALLET_TRANSITIONS = [
  { from: 'available', on: 'allocate', to: 'allocated' },
  { from: 'quarantined', on: 'allocate', to: 'allocated' }, // its cooldown is over
  { from: 'allocated', on: 'end', to: 'quarantined' },
  { from: 'quarantined', on: 'return', to: 'available' },
  { from: 'available', on: 'disable', to: 'disabled' },
  { from: 'allocated', on: 'disable', to: 'disabled' },
  { from: 'quarantined', on: 'disable', to: 'disabled' },
  { from: 'disabled', on: 'enable', to: 'quarantined' }, // its last payer may still pay
] as const satisfies { from: WalletStatus; on: string; to: WalletStatus }[];

export type WalletTrigger = (typeof WALLET_TRANSITIONS)[number]['on'];

/** @throws Problem 409 `invalid_transition` */
export function walletStatusAfter(from: WalletStatus, on: WalletTrigger): WalletStatus {
  const row = WALLET_TRANSITIONS.find((each) => each.from === from && each.on === on);
  if (!row) throw conflict('invalid_transition', `The wallet is ${from}.`);
  return row.to;
}

/** A wallet that is kept for one payer's deposits, for a time or for good. */
export interface Allocation {
  id: string;
  walletId: string;
  chain: string;
  address: string;
  tenantId: string;
  accountId: string;
  /** A symbol of the network's assets. */
  asset: string;
  /** The client's reference, unique within the tenant. */
  reference: string;
  /** The client asked for an allocation without an end. */
  permanent: boolean;
  /** As the wallet's. An allocation of a scope has a row for each network. */
  scope: WalletScope | null;
  /** The first row of the scope's allocation. Null: this row is the first, or the only one. */
  scopeOf: string | null;
  /** Null: open until released. */
  expiresAt: Date | null;
  startedAt: Date;
  /** When it was released or expired. */
  endedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}
