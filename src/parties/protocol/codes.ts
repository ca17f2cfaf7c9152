import { z } from 'zod';

const CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** A party's code, where it is one: a plain word. Anything else may hold what must not be kept, and is dropped. */
export const plainCode = (given: unknown): string | undefined =>
  typeof given === 'string' && CODE.test(given) ? given : undefined;

/** Of a word: the party's reason, dropped where it is no plain code. */
export const failureCode = z.unknown().transform(plainCode).optional();
