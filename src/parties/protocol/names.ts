import { createHash } from 'node:crypto';

/** A party's id for a log line: as it is where it is plain, else as a hash, because it may hold anything. */
export const nameForLog = (name: string): string =>
  /^[\w-]{1,100}$/.test(name)
    ? name
    : `sha256 ${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
