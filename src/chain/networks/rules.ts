import { decimalsOf } from '../../kernel/money/currencies';
import { Decimal } from '../../kernel/money/money';
import type { NetworkAsset } from './record';

/** Decimals of the native coin, by kind of chain (EVM: wei). */
export const NATIVE_DECIMALS = { evm: 18 } as const;

/**
 * Decimals of an asset's currency in the ledger. A native coin has the decimals of its chain there, also before the
 * process knows the coin.
 */
export const ledgerDecimals = ({ symbol, contract, decimals }: Omit<NetworkAsset, 'minDeposit'>): number =>
  contract === null ? decimals : decimalsOf(symbol);

/** Chain id of development nodes (anvil, Hardhat), which make a block only for a transaction. */
const DEVELOPMENT_CHAIN_ID = 31_337;

/** Whether the chain makes blocks without transactions. */
export const makesBlocksByItself = ({ chainId }: { chainId: number }): boolean =>
  chainId !== DEVELOPMENT_CHAIN_ID;

/**
 * Converts an amount into the asset's smallest units.
 * @throws RangeError when the amount has more decimals than the asset, because this function does not round
 */
export function toUnits(amount: Decimal, decimals: number): bigint {
  if (amount.decimalPlaces() > decimals)
    throw new RangeError(`${amount.toFixed()} has more than ${decimals} decimals`);
  return BigInt(amount.toFixed(decimals).replace('.', ''));
}

/** Converts smallest units into an exact amount. The constructor of Decimal does not round; its arithmetic does. */
export const fromUnits = (units: bigint, decimals: number): Decimal => new Decimal(`${units}e-${decimals}`);

export interface LedgerAmount {
  /** In the asset, with at most the ledger's decimals. */
  amount: Decimal;
  /** Units below the ledger's decimals, never negative. They stay on the address. */
  dust: bigint;
}

/**
 * Splits units into the amount that the ledger can hold, rounded down, and the dust.
 * @param units not negative
 * @param decimals of the asset on its chain
 */
export function ledgerAmount(units: bigint, decimals: number, symbol: string): LedgerAmount {
  const dust = units % 10n ** BigInt(Math.max(0, decimals - decimalsOf(symbol)));
  return { amount: fromUnits(units - dust, decimals), dust };
}
