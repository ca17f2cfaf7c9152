import { createHash } from 'node:crypto';
import { type Decimal, formatAmount } from '../../../kernel/money/money';
import { Html, html } from '../../../kernel/wire/html';
import { messagePage, pageTime, type WebPage, webPage } from '../../../kernel/wire/page/page';
import { outcomesOfPaid, outcomesOfUnpaid, type PageError } from './outcome-forms';
import type { Session } from './record';
import {
  disputeStatusAt,
  isRisky,
  paidAt,
  refundable,
  refundStatusAt,
  type SessionStatus,
  statusAt,
} from './state';

export const money = (amount: Decimal, { currency }: Session) =>
  `${formatAmount(amount, currency)} ${currency}`;

/** The payer's page for the session's state. Plain forms need no script. */
export function renderPage(session: Session, at: Date, error?: PageError): WebPage {
  const status = statusAt(session, at);
  const body = html`<div class="card">
<h1>Payment to ${session.merchant}</h1>
<p class="amount">${money(session.amount, session)}</p>
${status === 'open' ? openPayment(session) : ended(session, status, at)}
</div>
<details class="card"${error ? new Html(' open') : undefined}>
<summary>Sandbox: other outcomes</summary>
${['paid', 'settled'].includes(status) ? outcomesOfPaid(session, status, at, error) : outcomesOfUnpaid(session, status, error)}
</details>`;
  const title = `${money(session.amount, session)} to ${session.merchant}`;
  return webPage({ title, body, footer: FOOTER, returnUrl: session.returnUrl });
}

/** The page of an unknown address. */
export const renderUnknown = (): WebPage =>
  messagePage({
    title: 'No such payment',
    text: 'This address leads to no payment. Return to the shop and start again.',
    footer: FOOTER,
  });

const FOOTER = 'Sandbox checkout. No money moves here; no card or account is asked for.';

const METHODS: Record<Session['method'], { name: string; pay(amount: string): string }> = {
  card: { name: 'Card', pay: (amount) => `Pay ${amount}` },
  bank_transfer: { name: 'Bank transfer', pay: () => 'I have sent the transfer' },
  crypto: { name: 'Crypto', pay: () => 'I have sent the payment' },
};

function openPayment(session: Session): Html {
  const { name, pay } = METHODS[session.method];
  return html`<dl>
<dt>Method</dt><dd>${name}</dd>
${instructions(session)}
<dt>Pay until</dt><dd>${pageTime(session.expiresAt)}</dd>
</dl>
<form method="post"><input type="hidden" name="action" value="pay"><button class="main" type="submit">${pay(money(session.amount, session))}</button></form>
<form method="post"><input type="hidden" name="action" value="cancel"><button class="other" type="submit">Cancel and go back</button></form>`;
}

/** Where to send the money. The account is invented, and the page says so. */
function instructions(session: Session): Html | undefined {
  if (session.method === 'bank_transfer') {
    return html`<dt>To</dt><dd>${session.merchant}</dd>
<dt>IBAN</dt><dd>DE00 0000 0000 0000 0000 00 (no real account)</dd>
<dt>Reference</dt><dd>${session.id.slice(-8).toUpperCase()}</dd>`;
  }
  if (session.method === 'crypto') {
    const address = createHash('sha256').update(session.id).digest('hex').slice(0, 40);
    return html`<dt>Send</dt><dd>${money(session.amount, session)}</dd>
<dt>To</dt><dd>0x${address} (no real address)</dd>`;
  }
  return undefined;
}

function ended(session: Session, status: SessionStatus, at: Date): Html {
  return html`<p class="state" role="status">${sentence(session, status, at)}</p>
${movements(session, at)}
<a class="button main" href="${session.returnUrl}" rel="noreferrer">Return to ${session.merchant}</a>`;
}

function sentence(session: Session, status: SessionStatus, at: Date): string {
  const paid = money(paidAt(session, at), session);
  const review = isRisky(session, at) ? ' It is marked for a review.' : '';
  switch (status) {
    case 'paid':
      return `${paid} paid, not settled yet.${review}`;
    case 'settled':
      return `${paid} paid and settled.${review}`;
    case 'failed':
      return `The payment has failed (${(session.failureCode ?? 'unknown reason').replaceAll('_', ' ')}). Nothing was taken.`;
    case 'cancelled':
      return 'The payment was cancelled. Nothing was taken.';
    case 'expired':
      return 'The time to pay is over. Nothing was taken.';
    case 'open':
      return '';
  }
}

/** The refunds and disputes of the session. */
function movements(session: Session, at: Date): Html | undefined {
  const { refunds, disputes } = session;
  const opened = disputes.filter(({ opensAt }) => opensAt <= at);
  if (refunds.length + opened.length === 0) return undefined;
  const lines = [
    ...refunds.map((refund) => line('Refund', money(refund.amount, session), refundStatusAt(refund, at))),
    ...opened.map((dispute) => line('Dispute', money(dispute.amount, session), disputeStatusAt(dispute, at))),
  ];
  return html`<dl>${lines}<dt>Refundable</dt><dd>${money(refundable(session, at), session)}</dd></dl>`;
}

const line = (what: string, amount: string, status: string): Html =>
  html`<dt>${what}</dt><dd>${amount}, ${status}</dd>`;
