import type { Decimal } from '../../kernel/money/money';
import type { ChainFees, DataCost } from '../../parties/chain/port';
import type { Network, NetworkAsset } from '../networks/record';
import { fromUnits, NATIVE_DECIMALS, toUnits } from '../networks/rules';
import type { GasConfig } from './config/record';

/** Pure rules that operations, candidates and the preflight share. Units are the smallest ones of the coin or token. */

/**
 * Ledger symbol of a network's native coin. Undefined when the network lists none, because the ledger has no currency
 * for that coin.
 */
export const nativeSymbol = ({ assets }: Pick<Network, 'assets'>): string | undefined =>
  assets.find(({ contract }) => contract === null)?.symbol;

/** Smallest amount that is swept: the configured one, or the network's minimum deposit. */
export const minSweepOf = (
  { minSweepAmount }: Pick<GasConfig, 'minSweepAmount'>,
  { symbol, minDeposit }: NetworkAsset,
): Decimal => minSweepAmount[symbol] ?? minDeposit;

/** Decimals of a gwei, down to the wei. */
export const GWEI_DECIMALS = 9;

/** Converts a gas price from gwei, which has at most nine decimals. */
export const weiOfGwei = (gwei: Decimal): bigint => toUnits(gwei, GWEI_DECIMALS);
export const gweiText = (wei: bigint): string => fromUnits(wei, GWEI_DECIMALS).toFixed();

/** Gas prices that a transaction may offer: those of the next block, below the cap. */
export interface BoundedFees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** Highest costs of a transaction: gas for its execution, and the fee for its data. */
export interface Costs {
  /** Gas limit. */
  gas: bigint;
  /** Most that the chain below takes beside gas, in units of the native coin. */
  dataFee: bigint;
}

/** The fee of a chain below can rise until the transaction is in a block, so twice the present one is planned. */
export const mostDataFee = ({ fee }: Pick<DataCost, 'fee'>): bigint => 2n * fee;

/** Share of the data fee in the price of each gas, rounded up, so that one cap holds both. */
export const dataPriceOf = ({ gas, dataFee }: Costs): bigint =>
  gas === 0n ? 0n : (dataFee + gas - 1n) / gas;

/**
 * Bounds gas prices by the cap. A reduced offer still enters the next block, but tolerates less growth of the base fee.
 * @param cap gwei; null: none
 * @param dataPrice as {@link dataPriceOf}; the cap holds it, too
 * @returns undefined when the next block itself costs more than the cap
 */
export function boundedFees(
  { baseFee, maxFeePerGas, maxPriorityFeePerGas }: ChainFees,
  cap: Decimal | null,
  dataPrice = 0n,
): BoundedFees | undefined {
  if (cap === null) return { maxFeePerGas, maxPriorityFeePerGas };
  const most = weiOfGwei(cap) - dataPrice;
  if (baseFee + maxPriorityFeePerGas > most) return undefined;
  return { maxFeePerGas: maxFeePerGas < most ? maxFeePerGas : most, maxPriorityFeePerGas };
}

/** Whether a transaction may cost more than the cap, which may be lower since the transaction was made. */
export const isAboveCap = (
  { maxFeePerGas, ...costs }: Pick<BoundedFees, 'maxFeePerGas'> & Costs,
  cap: Decimal | null,
): boolean => cap !== null && maxFeePerGas + dataPriceOf(costs) > weiOfGwei(cap);

/** Gas limit of a transaction (EIP-7825). Nodes refuse a higher one. */
export const MAX_GAS = 16_777_216n;

/**
 * The gas limit of a transaction: a fifth above its estimate, because a token's own rules may use more later. The
 * margin shrinks at the highest gas limit of a transaction.
 * @param spare gas that the transaction needs beyond the estimate
 * @returns undefined when it needs more than a transaction may have
 */
export function gasLimitOf(estimate: bigint, spare = 0n): bigint | undefined {
  const needed = estimate + spare;
  if (needed > MAX_GAS) return undefined;
  const limit = needed + estimate / 5n;
  return limit < MAX_GAS ? limit : MAX_GAS;
}

/** Formats an amount of the native coin with all of the chain's decimals. */
export const nativeAmount = ({ kind }: Pick<Network, 'kind'>, amount: Decimal): string =>
  amount.toFixed(NATIVE_DECIMALS[kind]);

/**
 * The part of a balance that a sweep moves: all of a token. A native sweep leaves a top-up's amount for later gas, and
 * at least its own fee. A former station needs no reserve.
 * @param fee of the sweep
 */
export function sweepableOf(
  { gasTopupAmount }: Pick<GasConfig, 'gasTopupAmount'>,
  { kind }: Pick<Network, 'kind'>,
  { contract }: Pick<NetworkAsset, 'contract'>,
  { units, fee, ofStation }: { units: bigint; fee: bigint; ofStation: boolean },
): bigint {
  if (contract !== null) return units;
  const reserve = ofStation ? 0n : toUnits(gasTopupAmount, NATIVE_DECIMALS[kind]);
  const left = reserve > fee ? reserve : fee;
  return units > left ? units - left : 0n;
}

/** Pause of automatic sweeps of a wallet and asset after a failed sweep, because another would fail, too. */
const AUTO_SWEEP_RESTS_MS = 3_600_000;

/** Start of the period in which failures count at a time. */
export const failedBefore = (at: Date): Date => new Date(at.getTime() - AUTO_SWEEP_RESTS_MS);

/**
 * @param failed the wallet's failed sweeps of the asset since {@link failedBefore}
 * @returns end of the pause; null: none
 */
export function autoSweepRestsUntil(failed: readonly { updatedAt: Date }[]): Date | null {
  if (failed.length === 0) return null;
  return new Date(Math.max(...failed.map(({ updatedAt }) => updatedAt.getTime())) + AUTO_SWEEP_RESTS_MS);
}

/**
 * Whether a wallet that pays for gas itself needs a top-up before its sweep.
 * @param dataFee of the sweep, which the threshold does not contain
 */
export const isBelowThreshold = (
  { gasThreshold }: Pick<GasConfig, 'gasThreshold'>,
  { kind }: Pick<Network, 'kind'>,
  native: bigint,
  dataFee = 0n,
): boolean => native < toUnits(gasThreshold, NATIVE_DECIMALS[kind]) + dataFee;
