import { createHash } from 'node:crypto';
import { Reply, type Route, route } from '../../../http/route';
import { asciiUrl } from '../../../kernel/wire/web-url';
import type { Services } from '../../../services';
import { readSituation } from '../../engine/read';
import { depositKind } from '../kind';
import type { ClientDeposit } from '../money';
import { findByToken } from '../store';
import { checkoutLinks, redirectContext } from './token';

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center;' +
  'background:#f6f7f9;color:#1c2430}main{max-width:26rem;padding:2rem;text-align:center}h1{font-size:1.25rem}';

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': `default-src 'none'; frame-ancestors 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
};

interface Page {
  status: number;
  title: string;
  text: string;
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
const EXPIRED: Page = {
  status: 410,
  title: 'This payment link has expired',
  text: 'Nothing can be paid here any more. Please start again where you came from.',
};
const FINISHED: Page = {
  status: 410,
  title: 'This payment is finished',
  text: 'There is nothing left to do here. You can close this page.',
};

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
      const location = keyring.open(details.redirectSealed, redirectContext(details.id)).toString();
      return new Reply(303, Buffer.alloc(0), { ...HEADERS, location: asciiUrl(location) });
    },
  });
}

/** The page to show, or undefined for a redirect. */
function pageOf({ transfer, at }: ClientDeposit): Page | undefined {
  const { status, terms } = transfer;
  if (status === 'expired') return EXPIRED;
  if (status !== 'created' && status !== 'awaiting_payment') return FINISHED;
  if (terms.expiresAt <= at) return EXPIRED;
  return status === 'created' ? PREPARED : undefined;
}

function show({ status, title, text, again }: Page): Reply<Buffer> {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1><p>${text}</p></main></body></html>
`;
  const refresh: Record<string, string> = again === undefined ? {} : { refresh: String(again) };
  return new Reply(status, Buffer.from(html), { ...HEADERS, ...refresh });
}
