import { InvalidArgumentError } from 'commander';

/** Readers of command line arguments. An InvalidArgumentError names the allowed values. */

export const wholeNumber =
  (least = 0) =>
  (text: string): number => {
    if (!/^\d{1,9}$/.test(text) || Number(text) < least)
      throw new InvalidArgumentError(`A whole number, at least ${least}.`);
    return Number(text);
  };

/** @returns the address without a slash at its end */
export function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new InvalidArgumentError('An http or https address.');
  return text.replace(/\/+$/, '');
}

export const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);

export function jsonObject(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // falls through to the error below
  }
  throw new InvalidArgumentError('A JSON object.');
}
