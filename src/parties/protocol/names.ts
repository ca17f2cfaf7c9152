import { createHash } from 'node:crypto';

/** A party's name for something as a log line may hold it: a plain one as it is, a hash of any other, which may be anything. */
export const nameForLog = (name: string): string =>
  /^[\w-]{1,100}$/.test(name)
    ? name
    : `sha256 ${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
