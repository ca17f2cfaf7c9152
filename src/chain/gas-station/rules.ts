import type { Decimal } from '../../kernel/money/money';
import type { ChainFees } from '../../parties/chain/port';
import type { Network, NetworkAsset } from '../networks/record';
import { fromUnits, NATIVE_DECIMALS, toUnits } from '../networks/rules';
import type { GasConfig } from './config/record';

/** Pure: what operations, candidates and the preflight share. Units are of the coin or token as the chain counts it. */

/**
 * What the ledger calls a network's native coin; nothing of one that the ledger has no currency for. A network that lists none has
 * another coin than the ledger knows, be it an EVM chain.
 */
export const nativeSymbol = ({ assets }: Pick<Network, 'assets'>): string | undefined =>
  assets.find(({ contract }) => contract === null)?.symbol;

/** From how much on an asset is swept: as it was set, or what the network credits at least. */
export const minSweepOf = (
  { minSweepAmount }: Pick<GasConfig, 'minSweepAmount'>,
  { symbol, minDeposit }: NetworkAsset,
): Decimal => minSweepAmount[symbol] ?? minDeposit;

/** Of a gwei: a wei is the least. */
export const GWEI_DECIMALS = 9;

/** Prices of gas are set and shown in gwei; it has nine decimals at most. */
export const weiOfGwei = (gwei: Decimal): bigint => toUnits(gwei, GWEI_DECIMALS);
export const gweiText = (wei: bigint): string => fromUnits(wei, GWEI_DECIMALS).toFixed();

/** Prices of gas that a transaction may offer: those of the next block, none above the cap. */
export interface BoundedFees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/**
 * The prices bounded by the cap. A transaction whose offer is cut still enters the next block, but fewer blocks of growth.
 * @param cap gwei; null: none
 * @returns nothing where the next block itself costs more than the cap
 */
export function boundedFees(
  { baseFee, maxFeePerGas, maxPriorityFeePerGas }: ChainFees,
  cap: Decimal | null,
): BoundedFees | undefined {
  if (cap === null) return { maxFeePerGas, maxPriorityFeePerGas };
  const most = weiOfGwei(cap);
  if (baseFee + maxPriorityFeePerGas > most) return undefined;
  return { maxFeePerGas: maxFeePerGas < most ? maxFeePerGas : most, maxPriorityFeePerGas };
}

/** Whether a transaction may come to cost more than the cap, which can have been lowered since it was made. */
export const isAboveCap = (
  { maxFeePerGas }: Pick<BoundedFees, 'maxFeePerGas'>,
  cap: Decimal | null,
): boolean => cap !== null && maxFeePerGas > weiOfGwei(cap);

/** No transaction may use more gas (EIP-7825): nodes refuse one whose limit is above. */
export const MAX_GAS = 16_777_216n;

/**
 * The gas limit of a transaction: a fifth more than its estimate, because a token's own rules may use more by then. The fifth shrinks
 * where the limit would pass the most that a transaction may have.
 * @param spare gas beside the estimate that the transaction must have too
 * @returns nothing where it needs more than a transaction may have
 */
export function gasLimitOf(estimate: bigint, spare = 0n): bigint | undefined {
  const needed = estimate + spare;
  if (needed > MAX_GAS) return undefined;
  const limit = needed + estimate / 5n;
  return limit < MAX_GAS ? limit : MAX_GAS;
}

/** The native coin as the wire writes it: with all decimals that the chain has. */
export const nativeAmount = ({ kind }: Pick<Network, 'kind'>, amount: Decimal): string =>
  amount.toFixed(NATIVE_DECIMALS[kind]);

/**
 * What a sweep moves of a balance: all of a token. Of the native coin it leaves what a top-up brings, for gas is not carried back, and
 * at least what it costs itself; a station of before needs none for what comes after.
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

/** Automatic sweeps leave a wallet and asset alone for so long after a sweep of it has failed, because another would fail too. */
const AUTO_SWEEP_RESTS_MS = 3_600_000;

/** Failures since then count at that time. */
export const failedBefore = (at: Date): Date => new Date(at.getTime() - AUTO_SWEEP_RESTS_MS);

/** @param failed the sweeps of a wallet and asset that have failed since {@link failedBefore} @returns null: it does not rest */
export function autoSweepRestsUntil(failed: readonly { updatedAt: Date }[]): Date | null {
  if (failed.length === 0) return null;
  return new Date(Math.max(...failed.map(({ updatedAt }) => updatedAt.getTime())) + AUTO_SWEEP_RESTS_MS);
}

/** Whether a wallet that has so much of the native coin, and pays for gas itself, is to get some before it is swept. */
export const isBelowThreshold = (
  { gasThreshold }: Pick<GasConfig, 'gasThreshold'>,
  { kind }: Pick<Network, 'kind'>,
  native: bigint,
): boolean => native < toUnits(gasThreshold, NATIVE_DECIMALS[kind]);
