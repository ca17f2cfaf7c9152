import { z } from 'zod';
import { Decimal } from '../../kernel/money/money';

/** An amount as a word keeps it: a decimal string on the wire and in the database, a Decimal in code. */
export const storedDecimal = z
  .union([z.string().regex(/^-?\d{1,24}(\.\d{1,24})?$/), z.instanceof(Decimal)])
  .transform((amount) => new Decimal(amount));

/** The same of what is never below zero: what has moved, or gone back. */
export const storedAmount = storedDecimal.refine((amount) => amount.gte(0), 'must not be below zero');

/** A party's name for a record or a part of one. */
export const partyName = z.string().min(1).max(200);

/** The parts of a word: each has a name of its own, for one that stands twice would be counted twice. */
export const partsOf = <S extends z.ZodType<{ id: string }>>(part: S) =>
  z
    .array(part)
    .refine((parts) => new Set(parts.map(({ id }) => id)).size === parts.length, 'a part stands twice');
