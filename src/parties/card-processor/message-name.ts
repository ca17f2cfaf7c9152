import { z } from 'zod';

/** An id that the processor chooses and that is compared as long as the record exists. */
export const name = (description: string) =>
  z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable ASCII characters without blanks')
    .meta({ description });
