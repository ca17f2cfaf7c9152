import { formatAmount } from '../../../kernel/money/money';
import { type Html, html } from '../../../kernel/wire/html';
import type { Session } from './record';
import { disputeStatusAt, refundable, type SessionStatus } from './state';

/** The error of the last form, shown when the page is rendered again. */
export interface PageError {
  /** Action of the form that was sent. */
  action: string;
  message: string;
  /** The text in the amount's field. */
  given: string;
}

/** Outcomes that a tester selects. A real checkout has no such part. */

export const SETTLEMENTS = [
  { value: '0', label: 'At once', seconds: 0 },
  { value: '20', label: 'After 20 seconds', seconds: 20 },
  { value: '86400', label: 'After a day', seconds: 86_400 },
  { value: 'never', label: 'When I say so on this page', seconds: null },
] as const;

export const FAILURES = [
  { value: 'card_declined', label: 'Declined by the payer’s bank' },
  { value: 'insufficient_funds', label: 'Not enough money' },
  { value: 'expired_card', label: 'Expired card' },
  { value: 'authentication_failed', label: 'The payer could not be verified' },
] as const;

interface FormSpec {
  action: string;
  title: string;
  button: string;
  fields?: Html;
  error?: PageError | undefined;
}

function form({ action, title, button, fields, error }: FormSpec): Html {
  const wrong =
    error?.action === action
      ? html`<p class="state error" role="alert" id="${action}-error">${error.message}</p>`
      : undefined;
  return html`<h2>${title}</h2>
<form method="post">
${wrong}
<input type="hidden" name="action" value="${action}">
${fields}
<button class="other" type="submit">${button}</button>
</form>`;
}

/** @param amount initial value of the field */
function amountField(action: string, session: Session, amount: string, error?: PageError): Html {
  const wrong = error?.action === action;
  return html`<label for="${action}-amount">Amount in ${session.currency}</label>
<input type="text" id="${action}-amount" name="amount" inputmode="decimal" autocomplete="off" required value="${wrong ? error.given : amount}"${
    wrong ? html` aria-invalid="true" aria-describedby="${action}-error"` : undefined
  }>`;
}

function select(
  id: string,
  name: string,
  label: string,
  options: readonly { value: string; label: string }[],
): Html {
  const lines = options.map(({ value, label: text }) => html`<option value="${value}">${text}</option>`);
  return html`<label for="${id}">${label}</label>
<select id="${id}" name="${name}">${lines}</select>`;
}

/** Forms for a payment that is open or has ended unpaid. */
export function outcomesOfUnpaid(session: Session, status: SessionStatus, error?: PageError): Html {
  const late = status !== 'open';
  const amount = formatAmount(session.amount, session.currency);
  const pay = form({
    action: 'pay_as',
    title: late ? 'Pay all the same: it arrives late' : 'Pay in another way',
    button: late ? 'Pay late' : 'Pay this',
    error,
    fields: html`${amountField('pay_as', session, amount, error)}
${select('settles', 'settles', 'Settled', SETTLEMENTS)}
<label class="check"><input type="checkbox" name="risk" value="review"> Mark it for a risk review</label>`,
  });
  if (late) return pay;
  const fail = form({
    action: 'fail',
    title: 'Fail',
    button: 'Let it fail',
    fields: select('failure', 'failure', 'Because', FAILURES),
  });
  return html`${pay}${fail}`;
}

/** Forms for a payment that was made. */
export function outcomesOfPaid(session: Session, status: SessionStatus, at: Date, error?: PageError): Html {
  const unsettled = [
    form({ action: 'settle', title: 'Settle', button: 'Settle it now' }),
    form({ action: 'bounce', title: 'Take it back before it is settled', button: 'Let it fail' }),
  ];
  const isOpen = session.disputes.some(
    (dispute) => dispute.opensAt <= at && disputeStatusAt(dispute, at) === 'open',
  );
  const decisions = [
    form({ action: 'dispute_won', title: 'The shop wins the dispute', button: 'Give the money back' }),
    form({ action: 'dispute_lost', title: 'The payer wins the dispute', button: 'Keep the money' }),
  ];
  return html`${status === 'paid' ? unsettled : undefined}
${isOpen ? decisions : withAmount(session, 'dispute', 'Dispute the payment', 'Open a dispute', at, error)}
${withAmount(session, 'refund', 'Refund it without being asked to', 'Refund', at, error)}
${withAmount(session, 'pay_again', 'Pay once more', 'Pay again', at, error)}`;
}

function withAmount(
  session: Session,
  action: string,
  title: string,
  button: string,
  at: Date,
  error?: PageError,
): Html {
  const most = action === 'pay_again' ? session.amount : refundable(session, at);
  const amount = formatAmount(most, session.currency);
  return form({ action, title, button, error, fields: amountField(action, session, amount, error) });
}
