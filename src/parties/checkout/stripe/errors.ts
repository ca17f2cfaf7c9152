import Stripe from 'stripe';
import { OutcomeUnknown, PartyAway, PartyRefused } from '../../../process/party-errors';

/**
 * What an error means for the payment. Only a word about the request itself is a refusal; a key that is wrong, too many
 * requests, or the same key still being worked on are reasons to ask again.
 * @param changing whether the request may have done something
 */
export function partyErrorOf(error: unknown, changing: boolean): Error {
  if (!(error instanceof Stripe.errors.StripeError)) return error as Error;
  const { statusCode = 0, code } = error;
  if (error instanceof Stripe.errors.StripeInvalidRequestError && statusCode < 500 && statusCode !== 409)
    return new PartyRefused(statusCode === 404 ? 'not_found' : codeOf(code));
  if (error instanceof Stripe.errors.StripeCardError) return new PartyRefused(codeOf(code));
  const nothingDone = [401, 403, 409, 429].includes(statusCode) || !changing;
  return nothingDone ? new PartyAway(`the party answered ${statusCode}`) : new OutcomeUnknown();
}

/** Never the message: it may repeat what was sent, and names the party. */
const codeOf = (code: string | undefined): string =>
  code !== undefined && /^[a-z][a-z0-9_]{0,63}$/.test(code) ? code : 'refused';
