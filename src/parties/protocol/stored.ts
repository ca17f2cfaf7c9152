import { z } from 'zod';
import { Decimal } from '../../kernel/money/money';

const DECIMAL = /^-?\d{1,24}(\.\d{1,24})?$/;

/** Describes a value in documents as the text that it is on the wire. */
const asText = (pattern: string) => ({
  override: ({ jsonSchema }: { jsonSchema: object }) => {
    for (const key of Object.keys(jsonSchema))
      if (key !== 'description') Reflect.deleteProperty(jsonSchema, key);
    Object.assign(jsonSchema, { type: 'string', pattern, examples: ['100.00'] });
  },
});

const inCode = z.instanceof(Decimal).meta({ override: { type: 'string' } });

/** An amount of a stored state: a decimal string on the wire and in the database, a Decimal in code. */
export const storedDecimal = z
  .union([z.string().regex(DECIMAL), inCode])
  .transform((amount) => new Decimal(amount))
  .meta(asText(DECIMAL.source));

/** A stored amount that is never negative, because it has moved or gone back. */
export const storedAmount = storedDecimal
  .refine((amount) => amount.gte(0), 'must not be below zero')
  .meta(asText(DECIMAL.source.replace('-?', '')));

/** Whether Postgres can store the text, which must not contain NUL. */
export const isStorable = (text: string): boolean => !text.includes('\u0000');

/** A party's id of a record or of a part. */
export const partyName = z.string().min(1).max(200).refine(isStorable, 'must not contain NUL');

export const partyVersion = z
  .number()
  .int()
  .optional()
  .meta({
    override: { type: 'integer' },
    description: 'Grows with each change at the party. Absent where the party counts no versions.',
  });

/** The parts of a state. Each needs an id of its own, because a repeated part would count twice. */
export const partsOf = <S extends z.ZodType<{ id: string }>>(part: S) =>
  z
    .array(part)
    .refine(
      (parts) => new Set(parts.map(({ id }) => id)).size === parts.length,
      'must not contain an id twice',
    );
