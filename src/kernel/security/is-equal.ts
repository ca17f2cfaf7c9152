import { timingSafeEqual } from 'node:crypto';

const bytesOf = (value: Buffer | string): Buffer => (typeof value === 'string' ? Buffer.from(value) : value);

/** Compares bytes or texts in a time that tells nothing but their lengths. An absent value equals none. */
export function isEqual(given: Buffer | string | null | undefined, right: Buffer | string): boolean {
  if (given === null || given === undefined) return false;
  const [one, other] = [bytesOf(given), bytesOf(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
