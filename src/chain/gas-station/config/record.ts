import { type Decimal, ZERO } from '../../../kernel/money/money';
import type { Network } from '../../networks/record';
import type { SweepStrategyName } from '../strategies/port';

/** What a person sets of a chain's gas station, all of it at once. Amounts are of the native coin where nothing else is said. */
export interface GasTerms {
  /** A wallet with less than that needs a top-up before it is swept. */
  gasThreshold: Decimal;
  /** What a top-up brings, and what a sweep of the native coin leaves. At least the threshold. */
  gasTopupAmount: Decimal;
  /** Gwei for one gas, tip included; null: any. Nothing is broadcast above it. */
  maxGasPrice: Decimal | null;
  /** Of all fees of a UTC day; null: any. */
  dailyGasBudget: Decimal | null;
  /** By symbol, in the asset; of one that is absent the network's `minDeposit`. */
  minSweepAmount: Readonly<Record<string, Decimal>>;
  /** Where swept money goes: checksummed, none of ours. */
  treasuryAddress: string | null;
  /** From so many on a sweep is final; its own block counts one. */
  sweepConfirmations: number;
  /** Whether operations are made, signed and broadcast without a person. */
  autoSweep: boolean;
  /** How tokens get off wallets, where the chain and the station allow it. */
  sweepStrategy: SweepStrategyName;
}

/** What a PUT gives: what is absent stays, what is null is as if it had never been set. */
export type GasInput = { [Field in keyof GasTerms]?: GasTerms[Field] | null | undefined };

export interface GasConfig extends GasTerms {
  chain: string;
  /** Pays for gas, checksummed. */
  stationAddress: string | null;
  /** Null of a station whose key is not ours: what it sends is signed elsewhere. */
  stationWalletId: string | null;
  /** Approved, and the treasury from that time on; null: none is. */
  nextTreasuryAddress: string | null;
  nextTreasuryAt: Date | null;
  /** Of the terms; the station is no part of it. 0: none were ever set. */
  version: number;
  /** Null while nothing was ever set: there is no row. */
  createdAt: Date | null;
  updatedAt: Date | null;
}

/** What holds while nobody has set anything: nothing happens by itself, and nothing can be swept. */
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
