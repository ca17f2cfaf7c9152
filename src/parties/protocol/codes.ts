import { z } from 'zod';

const CODE = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * A party's code, where it is a plain word. Any other text is dropped, because it may hold data that must not be
 * stored.
 */
export const plainCode = (given: unknown): string | undefined =>
  typeof given === 'string' && CODE.test(given) ? given : undefined;

/** Body of a party's error answer. The table in `meanings.ts` says what it means. */
export const partyError = z.object({
  code: z.string().regex(CODE).describe('A code of the party’s own, without personal data.'),
  message: z.string().optional().describe('A text for people. We do not store it.'),
});

/** The party's code of a failure, dropped where it is no plain word. */
export const failureCode = z
  .unknown()
  .transform(plainCode)
  .optional()
  .meta({
    override: {
      type: 'string',
      pattern: CODE.source,
      description: 'The code of the failure: a plain word without personal data. Anything else is dropped.',
      examples: ['account_closed'],
    },
  });
