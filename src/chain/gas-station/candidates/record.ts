import type { NetworkAsset } from '../../networks/record';

/** Dust of an asset on the pool's wallets, in the chain's units. */
export interface Dust {
  asset: NetworkAsset;
  /** On wallets with too little to sweep. A sweep takes it once there is more. */
  belowMinimum: bigint;
  /** On all wallets: the part below the ledger's decimals. A wallet's sweep takes its part. */
  belowLedger: bigint;
}

/** The last stored reading of the dust. */
export interface KeptDust extends Omit<Dust, 'asset'> {
  /** A symbol. */
  asset: string;
  readAt: Date;
}
