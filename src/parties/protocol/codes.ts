import { z } from 'zod';

const CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** A party's code, where it is one: a plain word. Anything else may hold what must not be kept, and is dropped. */
export const plainCode = (given: unknown): string | undefined =>
  typeof given === 'string' && CODE.test(given) ? given : undefined;

/** What a party answers instead of what was asked for; what that means is in meanings.ts. */
export const partyError = z.object({
  code: z.string().regex(CODE).describe('A plain word of the party’s own, without personal data.'),
  message: z.string().optional().describe('For people; we keep none of it.'),
});

/** Of a word: the party's reason, dropped where it is no plain code. */
export const failureCode = z
  .unknown()
  .transform(plainCode)
  .optional()
  .meta({
    override: {
      type: 'string',
      pattern: CODE.source,
      description: 'Why it has failed: a plain word without personal data. Anything else is dropped.',
      examples: ['account_closed'],
    },
  });
