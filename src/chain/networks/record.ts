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

const SETTINGS = [
  'name',
  'kind',
  'chainId',
  'explorerUrl',
  'confirmations',
  'finality',
  'requestsPerSecond',
  'enabled',
  'feeModel',
  'assets',
] as const satisfies readonly (keyof Network)[];

/** What an operator sets of a network, beside its node addresses. */
export type NetworkSettings = Pick<Network, (typeof SETTINGS)[number]>;

/** Leaves out what else the value holds, such as a version. */
export const settingsOf = (network: NetworkSettings): NetworkSettings =>
  Object.fromEntries(SETTINGS.map((name) => [name, network[name]])) as unknown as NetworkSettings;

/** Whether a text is a valid network name. */
export const isChainName = (text: string): boolean => /^[a-z][a-z0-9-]{0,31}$/.test(text);
