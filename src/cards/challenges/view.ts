import { z } from 'zod';
import { formatAmount } from '../../kernel/money/money';
import { shown } from '../../kernel/wire/shown';
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

export function challengeView(challenge: Challenge, at: Date) {
  const status = statusAt(challenge, at);
  return shown(challengeSchema, challenge, {
    status,
    amount: formatAmount(challenge.amount, challenge.currency),
    triesLeft: status === 'sending' || status === 'sent' ? MAX_WRONG_CODES - challenge.wrongCodes : 0,
    codesSent: challenge.codeNumber,
  });
}
