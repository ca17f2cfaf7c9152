import type { Services } from '../../../services';
import { payerLinks } from '../../payer-link';

const CHECKOUT_PATH = '/checkout/';

export const checkoutLinks = payerLinks('checkout-token', CHECKOUT_PATH);

/** Placeholder for the token in a stored answer. */
const UNREVEALED = `${CHECKOUT_PATH}{token}`;

/** The address without its secret, for answers that are stored with an idempotency key. */
export const unrevealedUrl = ({ publicUrl }: Pick<Services, 'publicUrl'>): string => publicUrl() + UNREVEALED;

/**
 * Inserts the token into an answer before it is sent. Texts of the client in it, such as the return URL, stay
 * unchanged.
 */
export function revealToken(deps: Pick<Services, 'keyring'>, body: string): string {
  const deposit = JSON.parse(body) as { id: string; checkoutUrl?: string };
  const { id, checkoutUrl } = deposit;
  if (!checkoutUrl?.endsWith(UNREVEALED)) return body;
  const origin = checkoutUrl.slice(0, -UNREVEALED.length);
  return JSON.stringify({
    ...deposit,
    checkoutUrl: origin + CHECKOUT_PATH + checkoutLinks.token(deps, id),
  });
}
