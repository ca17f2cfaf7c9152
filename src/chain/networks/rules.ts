import { decimalsOf } from '../../kernel/money/currencies';
import { Decimal } from '../../kernel/money/money';

/** Of the native coin of every chain of a kind: wei. */
export const NATIVE_DECIMALS = { evm: 18 } as const;

/** Of development nodes (anvil, Hardhat): they make a block where there is a transaction for it. */
const DEVELOPMENT_CHAIN_ID = 31_337;

/** Whether blocks come though nobody does anything. */
export const makesBlocksByItself = ({ chainId }: { chainId: number }): boolean =>
  chainId !== DEVELOPMENT_CHAIN_ID;

/**
 * An amount as the chain counts it.
 * @throws RangeError when it has more decimals than the asset: nothing is rounded here
 */
export function toUnits(amount: Decimal, decimals: number): bigint {
  if (amount.decimalPlaces() > decimals)
    throw new RangeError(`${amount.toFixed()} has more than ${decimals} decimals`);
  return BigInt(amount.toFixed(decimals).replace('.', ''));
}

/** What so many of the smallest unit are, exactly: a constructor of Decimal does not round, its arithmetic does. */
export const fromUnits = (units: bigint, decimals: number): Decimal => new Decimal(`${units}e-${decimals}`);

export interface LedgerAmount {
  /** In the asset, with no more decimals than the ledger keeps. */
  amount: Decimal;
  /** Units that the ledger cannot hold; never negative. They stay on the address. */
  dust: bigint;
}

/**
 * What the ledger can hold of units that are not negative, rounded down.
 * @param decimals of the asset on its chain; the ledger's are those of the currency
 */
export function ledgerAmount(units: bigint, decimals: number, symbol: string): LedgerAmount {
  const dust = units % 10n ** BigInt(Math.max(0, decimals - decimalsOf(symbol)));
  return { amount: fromUnits(units - dust, decimals), dust };
}
