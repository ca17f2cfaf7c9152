/** Exact sums of decimal strings, without a library. */

const AMOUNT = /^(-?)(\d+)(?:\.(\d+))?$/;

const decimalsOf = (amount: string): number => amount.split('.')[1]?.length ?? 0;

/** @returns the amount in units of `10^-decimals` */
function unitsOf(amount: string, decimals: number): bigint {
  const [, sign, whole = '', part = ''] = AMOUNT.exec(amount) ?? [];
  if (whole === '') throw new Error(`${amount} is not a decimal amount.`);
  const units = BigInt(whole + part.padEnd(decimals, '0'));
  return sign === '-' ? -units : units;
}

/**
 * Adds decimal strings exactly. The sum has as many decimals as the longest addend.
 * @throws Error for a text that is not a decimal amount
 */
export function sum(...amounts: string[]): string {
  const decimals = Math.max(0, ...amounts.map(decimalsOf));
  const units = amounts.reduce((total, amount) => total + unitsOf(amount, decimals), 0n);
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const part = decimals === 0 ? '' : `.${digits.slice(-decimals)}`;
  return `${units < 0n ? '-' : ''}${whole}${part}`;
}

/** The amount, its opposite or zero. */
export const times = (amount: string, factor: -1 | 0 | 1): string =>
  factor === 0
    ? '0'
    : factor === 1
      ? amount
      : sum('0', amount.startsWith('-') ? amount.slice(1) : `-${amount}`);

/** Whether two decimal strings have the same value: `1.5` and `1.50` do. */
export const isSame = (one: string, other: string): boolean => isZero(sum(one, times(other, -1)));

export const isZero = (amount: string): boolean => /^-?0*(\.0*)?$/.test(amount);
