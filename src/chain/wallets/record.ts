export const WALLET_STATUSES = ['available', 'allocated', 'quarantined', 'disabled'] as const;
export type WalletStatus = (typeof WALLET_STATUSES)[number];

/** An address of ours on a chain. No key is kept: it is derived by its index. */
export interface Wallet {
  id: string;
  chain: string;
  /** Checksummed. */
  address: string;
  /** Of the derivation: m/44'/60'/0'/0/index, or 195' for TRON. */
  derivationIndex: number;
  /** A pool wallet takes deposits; a station pays for gas. */
  purpose: 'pool' | 'station';
  status: WalletStatus;
  /** Until then it takes no other payer's money; null unless it is quarantined. */
  quarantinedUntil: Date | null;
  createdAt: Date;
  updatedAt: Date;
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
