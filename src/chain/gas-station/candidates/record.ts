import type { NetworkAsset } from '../../networks/record';

/** What stands on wallets of the pool of an asset and is left there, in units of the chain. */
export interface Dust {
  asset: NetworkAsset;
  /** Of wallets that have too little to be swept; a sweep takes it once there is more. */
  belowMinimum: bigint;
  /** Of all wallets what the ledger has no decimals for: each sweep takes its wallet's. */
  belowLedger: bigint;
}

/** The same as it was read last. */
export interface KeptDust extends Omit<Dust, 'asset'> {
  /** A symbol. */
  asset: string;
  readAt: Date;
}
