import { InvalidArgumentError } from 'commander';
import { isCurrency } from '../../kernel/money/currencies';
import { Decimal } from '../../kernel/money/money';

/** Parsers of arguments and options. Each throws InvalidArgumentError with the allowed values. */

/** @param example completes "It takes": `an amount such as 10.00` */
export const decimalArgument =
  (example: string) =>
  (text: string): Decimal => {
    if (!/^\d{1,15}(\.\d{1,18})?$/.test(text)) throw new InvalidArgumentError(`It takes ${example}.`);
    return new Decimal(text);
  };

/** From 1 to 999999. */
export function countArgument(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It takes a whole number from 1.');
  return Number(text);
}

/** Upper or lower case. */
export function currencyArgument(text: string): string {
  const code = text.toUpperCase();
  if (!isCurrency(code)) throw new InvalidArgumentError('It takes a known currency or asset such as USD.');
  return code;
}

/** Text for people. Outer spaces are removed. */
export const textArgument =
  (maxLength: number) =>
  (given: string): string => {
    const text = given.trim();
    if (text.length === 0 || text.length > maxLength)
      throw new InvalidArgumentError(`1 to ${maxLength} characters.`);
    return text;
  };

/** An operator's reason, stored with the decision. */
export const reasonArgument = textArgument(500);

export function timeArgument(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('It takes a time such as 2026-01-31T12:00:00Z.');
  return time;
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `30m`, `2h`, `3d`. @returns milliseconds */
export function durationArgument(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It takes an age such as 30m, 2h or 3d.');
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

/** Parser of an option that may be repeated. */
export const repeated = (text: string, before: string[]): string[] => [...before, text];
