import { Reply, type Route, route } from '../../../http/route';
import { redirectContext } from '../../../kernel/security/sealed-columns';
import { type Html, html } from '../../../kernel/wire/html';
import { messagePage, pageTime } from '../../../kernel/wire/page/page';
import { asciiUrl } from '../../../kernel/wire/web-url';
import type { Services } from '../../../services';
import { readSituation } from '../../engine/read';
import { depositKind } from '../kind';
import type { ClientDeposit } from '../money';
import { findByToken } from '../store';
import { checkoutLinks } from './token';

interface Page {
  status: number;
  title: string;
  text: Html | string;
  /** Seconds until the browser asks again. */
  again?: number;
}

const UNKNOWN: Page = {
  status: 404,
  title: 'This payment link is not known',
  text: 'Please check the address, or ask for a new link where you found this one.',
};
const PREPARED: Page = {
  status: 200,
  title: 'Your payment is being prepared',
  text: 'This page moves on by itself in a moment.',
  again: 2,
};
const FINISHED: Page = {
  status: 410,
  title: 'This payment is finished',
  text: 'There is nothing left to do here. You can close this page.',
};
const expired = (at: Date): Page => ({
  status: 410,
  title: 'This payment link has expired',
  text: html`The time to pay ended at ${pageTime(at)}. Nothing can be paid here any more. Please start again where you came from.`,
});

/** Our address for a payer. Redirects to the party's page while the deposit waits for its payment. Changes nothing. */
export function checkoutPageRoute(services: Services): Route {
  const { database, keyring } = services;
  return route({
    method: 'GET',
    path: '/checkout/{token}',
    tag: 'Checkout',
    summary: 'Leads the payer to the page where a deposit is paid',
    description:
      'Target of `checkoutUrl`. Redirects a browser to the payment page, or shows the state of the deposit.',
    role: 'public',
    async read({ params }) {
      const details = await findByToken(database, checkoutLinks.hash(params['token'] ?? ''));
      const deposit = details && (await readSituation(database, depositKind, details.id, services.now()));
      if (!deposit) return show(UNKNOWN);
      const page = pageOf(deposit as ClientDeposit);
      if (page || !details.redirectSealed) return show(page ?? PREPARED);
      const location = keyring
        .sealer('checkout-pages')
        .open(details.redirectSealed, redirectContext(details.id))
        .toString();
      return new Reply(303, Buffer.alloc(0), { location: asciiUrl(location) });
    },
  });
}

/** The page to show, or undefined for a redirect. */
function pageOf({ transfer, at }: ClientDeposit): Page | undefined {
  const { status, terms } = transfer;
  if (status === 'expired') return expired(terms.expiresAt);
  if (status !== 'created' && status !== 'awaiting_payment') return FINISHED;
  if (terms.expiresAt <= at) return expired(terms.expiresAt);
  return status === 'created' ? PREPARED : undefined;
}

function show({ status, again, ...words }: Page): Reply<Buffer> {
  const { document, headers } = messagePage(words);
  const refresh: Record<string, string> = again === undefined ? {} : { refresh: String(again) };
  return new Reply(status, Buffer.from(document), { ...headers, ...refresh });
}
