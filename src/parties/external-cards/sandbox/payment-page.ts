import { formatAmount } from '../../../kernel/money/money';
import { type Html, html } from '../../../kernel/wire/html';
import { pageDocument } from '../../sandbox/page-style';
import type { SandboxCardOrder } from './record';

/** The page of the card's bank. */
const page = (title: string, content: Html): string =>
  pageDocument(title, html`<div class="card">${content}</div>`, 'A sandbox: no card is charged.');

export function decisionPage({ amount, currency, merchant }: SandboxCardOrder, action: string): string {
  const title = 'Confirm your payment';
  return page(
    title,
    html`<h1>${title}</h1>
<p class="amount">${formatAmount(amount, currency)} ${currency}</p>
<p>to ${merchant}</p>
<form method="post" action="${action}">
<button class="main" name="decision" value="confirm">Confirm</button>
<button class="other" name="decision" value="refuse">Refuse</button>
</form>`,
  );
}

export function endPage({ confirmedAt, refusedAt }: SandboxCardOrder): string {
  const end = confirmedAt ? 'You have confirmed.' : refusedAt ? 'You have refused.' : 'The time has run out.';
  return page('Thank you', html`<h1>${end}</h1><p>You can close this page.</p>`);
}
