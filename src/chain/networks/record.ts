import type { Decimal } from '../../kernel/money/money';
import type { ChainKind, FeeModel, Finality } from '../../parties/chain/port';

export { FEE_MODELS } from '../../parties/chain/port';

/** An asset that a network carries: the native coin, or a token. */
export interface NetworkAsset {
  /** Ledger currency (`USDT`, `ETH`, `BNB`). */
  symbol: string;
  /** Checksummed address of the token. Null for the native coin. */
  contract: string | null;
  /** Decimals of the asset on this chain. The ledger's currency may have fewer. */
  decimals: number;
  /** In the asset. A smaller deposit is not credited. */
  minDeposit: Decimal;
}

/** The configuration of a chain, without its sealed node addresses. */
export interface Network {
  chain: string;
  name: string;
  kind: ChainKind;
  /** EIP-155. */
  chainId: number;
  explorerUrl: string | null;
  /** Blocks that make a transaction final. Its own block counts as one. Bounds reorganisations where a tag decides. */
  confirmations: number;
  finality: Finality;
  /** Most calls to each node in a second. Null: no limit. */
  requestsPerSecond: number | null;
  enabled: boolean;
  /** How the chain charges for data. */
  feeModel: FeeModel;
  assets: readonly NetworkAsset[];
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Whether a text is a valid network name. */
export const isChainName = (text: string): boolean => /^[a-z][a-z0-9-]{0,31}$/.test(text);
