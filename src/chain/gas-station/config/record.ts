import { type Decimal, ZERO } from '../../../kernel/money/money';
import type { Network } from '../../networks/record';
import type { SweepStrategyName } from '../strategies/port';

/** The terms of a chain's gas station. Amounts are in the native coin unless stated otherwise. */
export interface GasTerms {
  /** A wallet with less needs a top-up before it is swept. */
  gasThreshold: Decimal;
  /** Amount of a top-up, and reserve that a sweep of the native coin leaves. At least the threshold. */
  gasTopupAmount: Decimal;
  /** Highest price of one gas in gwei, tip included; null: no cap. Nothing is broadcast above it. */
  maxGasPrice: Decimal | null;
  /** Limit of all fees of a UTC day. Null: no limit. */
  dailyGasBudget: Decimal | null;
  /** By symbol, in the asset. The default is the network's `minDeposit`. */
  minSweepAmount: Readonly<Record<string, Decimal>>;
  /** Receiver of swept money: checksummed, never an address of ours. */
  treasuryAddress: string | null;
  /** Blocks that make a sweep final. Its own block counts as one. */
  sweepConfirmations: number;
  /** Whether operations are made, signed and broadcast without a person. */
  autoSweep: boolean;
  /** How tokens leave wallets, where the chain and the station allow it. */
  sweepStrategy: SweepStrategyName;
}

/** Terms of a PUT: an absent field keeps its value, null resets it to the default. */
export type GasInput = { [Field in keyof GasTerms]?: GasTerms[Field] | null | undefined };

export interface GasConfig extends GasTerms {
  chain: string;
  /** Pays for gas. Checksummed. */
  stationAddress: string | null;
  /** Null for a station whose key is elsewhere. Its transactions are then exported for signing. */
  stationWalletId: string | null;
  /** An approved treasury and the time it takes effect. Null when none waits. */
  nextTreasuryAddress: string | null;
  nextTreasuryAt: Date | null;
  /** Version of the terms without the station. 0 when none were ever set. */
  version: number;
  /** Null while there is no row, because nothing was ever set. */
  createdAt: Date | null;
  updatedAt: Date | null;
}

/** The defaults of a gas configuration: nothing is automatic, and nothing can be swept. */
export const gasConfigNeverSet = ({
  chain,
  confirmations,
}: Pick<Network, 'chain' | 'confirmations'>): GasConfig => ({
  chain,
  gasThreshold: ZERO,
  gasTopupAmount: ZERO,
  maxGasPrice: null,
  dailyGasBudget: null,
  minSweepAmount: {},
  treasuryAddress: null,
  sweepConfirmations: confirmations,
  autoSweep: false,
  sweepStrategy: 'transfer',
  stationAddress: null,
  stationWalletId: null,
  nextTreasuryAddress: null,
  nextTreasuryAt: null,
  version: 0,
  createdAt: null,
  updatedAt: null,
});
