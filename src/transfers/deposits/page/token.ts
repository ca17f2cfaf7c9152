import type { Services } from '../../../services';
import { payerLinks } from '../../payer-link';

const CHECKOUT_PATH = '/checkout/';

export const checkoutLinks = payerLinks('checkout-token', CHECKOUT_PATH);

/** Binds a sealed page's address to its deposit. */
export const redirectContext = (depositId: string) => `deposit-redirect/${depositId}`;

/** Stands in a stored answer where the token goes. */
const UNREVEALED = `${CHECKOUT_PATH}{token}`;

/** The same without its secret: what is stored with an idempotency key. */
export const unrevealedUrl = ({ publicUrl }: Pick<Services, 'publicUrl'>): string => publicUrl() + UNREVEALED;

/** The answer as it is sent. A client's own words in it, such as where the payer returns to, stay as they are. */
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
