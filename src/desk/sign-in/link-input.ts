import { z } from 'zod';

/** Shorter secrets could be guessed, because the operator chooses. */
export const MIN_SECRET = 16;

export const linkToken = z.strictObject({
  token: z.string().regex(/^[\w-]{1,200}$/, 'is not the token of a link'),
});

export const linkUse = linkToken.extend({
  secret: z.string().min(MIN_SECRET).max(200).meta({
    description: 'The secret that you choose. For a new code generator: the one that you have.',
  }),
  code: z.string().max(20).meta({ description: 'One-time code of the new generator.' }),
});
