import type { Decimal } from '../../kernel/money/money';
import type { ChainKind } from '../../parties/chain/port';

/** What a network carries: its native coin, or a token. */
export interface NetworkAsset {
  /** A currency of the ledger (`USDT`, `ETH`). */
  symbol: string;
  /** Of the token, checksummed; null: the native coin. */
  contract: string | null;
  /** Of the token on this chain; those of the ledger may be fewer. */
  decimals: number;
  /** In the asset; less than that is not credited. */
  minDeposit: Decimal;
}

/** The configuration of a chain, without the addresses of its nodes, which are sealed. */
export interface Network {
  chain: string;
  name: string;
  kind: ChainKind;
  /** EIP-155. */
  chainId: number;
  explorerUrl: string | null;
  /** From so many on a transaction is final; its own block counts one. */
  confirmations: number;
  enabled: boolean;
  assets: readonly NetworkAsset[];
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Whether a network may have that name; any other text is the name of none. */
export const isChainName = (text: string): boolean => /^[a-z][a-z0-9-]{0,31}$/.test(text);
