import { formatAmount } from '../../../kernel/money/money';
import type { SandboxCardOrder } from './record';

/** The page of the card's bank, without scripts and fit for a phone. */
function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>
body{font:16px/1.5 system-ui,sans-serif;margin:0;background:#f3f4f6;color:#111827}
main{max-width:24rem;margin:2rem auto;padding:1.5rem;background:#fff;border-radius:.75rem}
h1{font-size:1.25rem;margin:0 0 1rem}p{margin:0 0 1rem}strong{font-size:1.5rem;display:block}
button{font:inherit;width:100%;padding:.75rem;margin-top:.5rem;border:1px solid #1d4ed8;border-radius:.5rem;background:#1d4ed8;color:#fff}
button.refuse{background:#fff;color:#1d4ed8}small{color:#4b5563}
</style></head><body><main>${content}</main></body></html>`;
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);

export function decisionPage({ amount, currency, merchant }: SandboxCardOrder, action: string): string {
  return page(
    'Confirm your payment',
    `<h1>Confirm your payment</h1>
<p><strong>${escaped(formatAmount(amount, currency))} ${escaped(currency)}</strong>to ${escaped(merchant)}</p>
<form method="post" action="${escaped(action)}">
<button name="decision" value="confirm">Confirm</button>
<button class="refuse" name="decision" value="refuse">Refuse</button>
</form><p><small>A sandbox: no card is charged.</small></p>`,
  );
}

export function endPage({ confirmedAt, refusedAt }: SandboxCardOrder): string {
  const end = confirmedAt ? 'You have confirmed.' : refusedAt ? 'You have refused.' : 'The time has run out.';
  return page('Thank you', `<h1>${end}</h1><p>You can close this page.</p>`);
}
