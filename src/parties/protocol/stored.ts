import { z } from 'zod';
import { Decimal } from '../../kernel/money/money';

const DECIMAL = /^-?\d{1,24}(\.\d{1,24})?$/;

/** For documents: on the wire it is text, whatever it is in code. */
const asText = (pattern: string) => ({
  override: ({ jsonSchema }: { jsonSchema: object }) => {
    for (const key of Object.keys(jsonSchema))
      if (key !== 'description') Reflect.deleteProperty(jsonSchema, key);
    Object.assign(jsonSchema, { type: 'string', pattern, examples: ['100.00'] });
  },
});

const inCode = z.instanceof(Decimal).meta({ override: { type: 'string' } });

/** An amount as a word keeps it: a decimal string on the wire and in the database, a Decimal in code. */
export const storedDecimal = z
  .union([z.string().regex(DECIMAL), inCode])
  .transform((amount) => new Decimal(amount))
  .meta(asText(DECIMAL.source));

/** The same of what is never below zero: what has moved, or gone back. */
export const storedAmount = storedDecimal
  .refine((amount) => amount.gte(0), 'must not be below zero')
  .meta(asText(DECIMAL.source.replace('-?', '')));

/** Whether Postgres can store the text: it stores no NUL. */
export const isStorable = (text: string): boolean => !text.includes('\u0000');

/** A party's name for a record or a part of one. */
export const partyName = z
  .string()
  .min(1)
  .max(200)
  .refine(isStorable, 'holds a character that cannot be stored');

/** Of a word. */
export const partyVersion = z
  .number()
  .int()
  .optional()
  .meta({
    override: { type: 'integer' },
    description: 'Grows with each change at the party; absent where it counts none.',
  });

/** The parts of a word: each has a name of its own, for one that stands twice would be counted twice. */
export const partsOf = <S extends z.ZodType<{ id: string }>>(part: S) =>
  z
    .array(part)
    .refine((parts) => new Set(parts.map(({ id }) => id)).size === parts.length, 'a part stands twice');
