import { z } from 'zod';
import { Decimal } from '../../kernel/money/money';

/** An amount as a word keeps it: a decimal string on the wire and in the database, a Decimal in code. */
export const storedDecimal = z
  .union([z.string().regex(/^-?\d{1,24}(\.\d{1,24})?$/), z.instanceof(Decimal)])
  .transform((amount) => new Decimal(amount));
