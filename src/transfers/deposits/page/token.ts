import { createHash, createHmac } from 'node:crypto';
import type { Services } from '../../../services';

/**
 * The token of a deposit's checkout: 256 bits that nobody can guess without the master key. It is derived, so that the
 * database need keep no more than its hash; the address can be shown again and again.
 */
export function checkoutToken({ keyring }: Pick<Services, 'keyring'>, depositId: string): string {
  return createHmac('sha256', keyring.secretFor('checkout-token')).update(depositId).digest('base64url');
}

/** What a token is found by. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Our own address, which leads the payer to the party's page. */
export function checkoutUrl(deps: Pick<Services, 'keyring' | 'publicUrl'>, depositId: string): string {
  return `${deps.publicUrl()}${CHECKOUT_PATH}${checkoutToken(deps, depositId)}`;
}

/** Binds a sealed page's address to its deposit. */
export const redirectContext = (depositId: string) => `deposit-redirect/${depositId}`;

const CHECKOUT_PATH = '/checkout/';
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
  return JSON.stringify({ ...deposit, checkoutUrl: origin + CHECKOUT_PATH + checkoutToken(deps, id) });
}
