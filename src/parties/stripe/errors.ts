import Stripe from 'stripe';
import { OutcomeUnknown, PartyAway, PartyRefused, UnreadableAnswer } from '../../process/party-errors';
import { plainCode } from '../protocol/codes';

/**
 * Translates Stripe's error by the table of `protocol/meanings.ts`. Only an error about the request itself is a
 * refusal. A wrong credential, too many requests, or a key in use are reasons to ask again. Any error that is not
 * Stripe's comes from an unreadable answer.
 * @param changing whether the request may have changed something
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

/** A wrong credential, too many requests, or a key in use. */
const NOT_REFUSALS = [401, 403, 409, 429];

/** Returns the code only. Stripe's message may repeat the request, and it names the party. */
const codeOf = (code: string | undefined): string => plainCode(code) ?? 'refused';
