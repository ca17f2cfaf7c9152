import Stripe from 'stripe';
import { OutcomeUnknown, PartyAway, PartyRefused, UnreadableAnswer } from '../../../process/party-errors';
import { plainCode } from '../../protocol/codes';

/**
 * What an error means for the payment, as the table of protocol/meanings.ts has it. Only a word about the request itself is a
 * refusal; a key that is wrong, too many requests, or the same key still being worked on are reasons to ask again. What is
 * no error of the party's own comes of an answer that cannot be read.
 * @param changing whether the request may have done something
 */
export function partyErrorOf(error: unknown, changing: boolean): Error {
  if (error instanceof PartyRefused || error instanceof PartyAway) return error;
  if (!(error instanceof Stripe.errors.StripeError)) return new UnreadableAnswer();
  const { statusCode = 0, code } = error;
  const isWord = error instanceof Stripe.errors.StripeInvalidRequestError && statusCode < 500;
  if (isWord && statusCode === 404)
    return changing
      ? new PartyAway('the party does not know what it is asked to change')
      : new PartyRefused('not_found');
  if (changing && isWord && !NOT_REFUSALS.includes(statusCode)) return new PartyRefused(codeOf(code));
  if (changing && error instanceof Stripe.errors.StripeCardError) return new PartyRefused(codeOf(code));
  const nothingDone = [401, 403, 409, 429].includes(statusCode) || !changing;
  if (!nothingDone) return new OutcomeUnknown();
  return new PartyAway(statusCode > 0 ? `the party answered ${statusCode}` : undefined);
}

/** Our credential, or the same key being worked on. */
const NOT_REFUSALS = [401, 403, 409, 429];

/** Never the message: it may repeat what was sent, and names the party. */
const codeOf = (code: string | undefined): string => plainCode(code) ?? 'refused';
