import { formatAmount } from '../../../kernel/money/money';
import { html } from '../../../kernel/wire/html';
import { messagePage, pageTime, type WebPage, webPage } from '../../../kernel/wire/page/page';
import type { SandboxCardOrder } from './record';

const FOOTER = 'Sandbox of a card’s bank. No card is charged.';

/** The page of the card's bank, where the payer decides. */
export function decisionPage(order: SandboxCardOrder): WebPage {
  const { amount, currency, merchant, expiresAt, returnUrl } = order;
  const body = html`<div class="card">
<h1>Confirm your payment to ${merchant}</h1>
<p class="amount">${formatAmount(amount, currency)} ${currency}</p>
<dl><dt>Decide until</dt><dd>${pageTime(expiresAt)}</dd></dl>
<form method="post">
<button class="main" name="decision" value="confirm">Confirm</button>
<button class="other" name="decision" value="refuse">Refuse</button>
</form>
</div>`;
  return webPage({ title: 'Confirm your payment', body, footer: FOOTER, returnUrl });
}

export function endPage({ confirmedAt, refusedAt, merchant, returnUrl }: SandboxCardOrder): WebPage {
  const title = confirmedAt ? 'You have confirmed' : refusedAt ? 'You have refused' : 'The time has run out';
  if (returnUrl === null) return messagePage({ title, text: 'You can close this page.', footer: FOOTER });
  const body = html`<div class="card">
<h1>${title}</h1>
<p>There is nothing left to do here.</p>
<a class="button main" href="${returnUrl}" rel="noreferrer">Return to ${merchant}</a>
</div>`;
  return webPage({ title, body, footer: FOOTER });
}
