import { z } from 'zod';

/** A whole number from 1 to 1000 in a query, as many rows or lines as an answer may have. */
export const upTo1000 = (otherwise: number) =>
  z
    .string()
    .regex(/^([1-9]\d{0,2}|1000)$/, 'must be a whole number from 1 to 1000')
    .transform(Number)
    .default(otherwise)
    .meta({ override: { type: 'integer', minimum: 1, maximum: 1_000, default: otherwise } });
