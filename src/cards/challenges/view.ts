import { z } from 'zod';
import { formatAmount } from '../../kernel/money/money';
import { CHALLENGE_STATUSES, type Challenge } from './record';
import { MAX_WRONG_CODES, statusAt } from './rules';

/** A challenge on the wire, for the card processor. */
export const challengeSchema = z.object({
  challengeId: z.string().describe('The processor’s id of the challenge.'),
  status: z.enum(CHALLENGE_STATUSES),
  amount: z.string().describe('The price of the purchase, in `currency`.'),
  currency: z.string(),
  triesLeft: z.int().describe('How many codes may still be tried.'),
  codesSent: z.int().describe('How many codes were made, the first one included.'),
  expiresAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export function challengeView(challenge: Challenge, at: Date): z.input<typeof challengeSchema> {
  const { challengeId, amount, currency, wrongCodes, codeNumber, expiresAt, createdAt, updatedAt } =
    challenge;
  const status = statusAt(challenge, at);
  return {
    challengeId,
    status,
    amount: formatAmount(amount, currency),
    currency,
    triesLeft: status === 'sending' || status === 'sent' ? MAX_WRONG_CODES - wrongCodes : 0,
    codesSent: codeNumber,
    expiresAt: expiresAt.toISOString(),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
