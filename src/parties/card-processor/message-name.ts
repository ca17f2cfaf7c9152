import { z } from 'zod';

/** A name that the processor gives, and that is compared for ever. */
export const name = (description: string) =>
  z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable ASCII characters without blanks')
    .meta({ description });
