import { z } from 'zod';
import { isCurrency } from '../../kernel/money/currencies';
import { Decimal, fitsCurrency } from '../../kernel/money/money';
import { isStorable } from '../../kernel/wire/json';
import { amountOrZero, currency, text, timestamp } from '../../kernel/wire/schemas';
import { partyName } from '../protocol/stored';
import { name } from './message-name';

/**
 * Messages of a card processor that authenticates a payer by 3-D Secure. The processor owns the page that the payer
 * sees.
 */

export const CHALLENGE_TYPES = [
  'challenge',
  'challenge.verify',
  'challenge.resend',
  'challenge.cancel',
] as const;

const messageId = name('Unique id of the message. A repeated message keeps it.');
const challengeId = name('The processor’s id of the challenge, the same in all messages about it.');

/** Digits as the payer has typed them. No error message repeats them. */
const typedCode = z.string().max(20, 'must have at most 20 characters');

/** Bodies of `POST /processor/v1/messages` about a challenge. Unknown fields are ignored. */
export const challengeMessage = z.discriminatedUnion('type', [
  z
    .object({
      messageId,
      type: z.literal('challenge'),
      challengeId,
      cardReference: partyName
        .refine(isStorable, 'must be text without NUL')
        .describe('The `reference` of the card.'),
      amount: amountOrZero().describe('The price of the purchase, in `currency`.'),
      currency: currency(),
      merchant: z.object({
        id: name(
          'The merchant’s id in the card network. An authorization of this challenge must name the same.',
        ),
        name: text(100).describe('The name in the mail to the cardholder.'),
        country: z.string().regex(/^[A-Z]{2,3}$/, 'must be a country code'),
      }),
      expiresAt: timestamp().describe('The processor waits for a code until then.'),
    })
    .superRefine(({ amount, currency: of }, { addIssue }) => {
      if (!(amount instanceof Decimal) || !isCurrency(of)) return; // the schema of the field reports it
      if (!fitsCurrency(amount, of))
        addIssue({
          code: 'custom',
          path: ['amount'],
          message: `must not have more decimals than ${of} allows`,
        });
    }),
  z.object({ messageId, type: z.literal('challenge.verify'), challengeId, code: typedCode }),
  z.object({ messageId, type: z.literal('challenge.resend'), challengeId }),
  z.object({ messageId, type: z.literal('challenge.cancel'), challengeId }),
]);

export type ChallengeRequest = z.output<typeof challengeMessage>;

const REASON = 'Code of the refusal, such as `unknown_card` or `no_address`.';

/** Answer to `challenge` and to `challenge.resend`. */
export const challengeAnswer = z.object({
  accepted: z.boolean(),
  maskedDestination: z.string().optional().describe('The masked address of the mail, for the payer’s page.'),
  reason: z.string().optional().describe(REASON),
});

/** Answer to `challenge.verify`. */
export const verifyAnswer = z.object({
  result: z.enum(['approved', 'failed', 'expired', 'cancelled']),
  triesLeft: z.int().describe('The number of codes that may still be tried.'),
});

/** Answer to `challenge.cancel`. */
export const cancelAnswer = z.object({
  status: z.string().describe('The status of the challenge after the request.'),
});

export type ChallengeAnswer = z.output<typeof challengeAnswer>;
export type VerifyAnswer = z.output<typeof verifyAnswer>;
