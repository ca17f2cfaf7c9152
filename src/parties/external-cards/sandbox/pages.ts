import type { Context } from 'koa';
import { asciiUrl } from '../../../kernel/wire/web-url';
import { refuse } from '../../sandbox/answers';
import { readForm } from '../../sandbox/body';
import type { Orders } from '../../sandbox/orders/orders';
import type { PartyRoute } from '../../sandbox/routing';
import { pageUrl } from './orders';
import { decisionPage, endPage } from './payment-page';
import type { CardOrderReport } from './progress';
import type { AskedCard, CardState } from './record';

const PAGE = /^\/pages\/([\w-]{1,200})$/;

/** The page of the card's bank, where the payer confirms or refuses. */
export function pageRoutes(
  orders: Orders<AskedCard, CardState, CardOrderReport>,
  publicUrl: () => string,
): PartyRoute[] {
  async function show(ctx: Context, page = ''): Promise<void> {
    const found = await orders.read({ page });
    if (!found) return refuse(ctx, 404, 'not_found');
    const { kept, word } = found;
    send(
      ctx,
      word.status === 'requires_action' ? decisionPage(kept, pageUrl(publicUrl, kept)) : endPage(kept),
    );
  }

  /** Redirects the browser to the return address, even if the decision came too late. */
  async function submit(ctx: Context, page = ''): Promise<void> {
    const decision = (await readForm(ctx))?.get('decision');
    if (decision !== 'confirm' && decision !== 'refuse') return refuse(ctx, 400, 'no_decision');
    // Only the first decision before the expiry counts.
    await orders.change({ page }, ({ confirmedAt, refusedAt, expiresAt }, at) => {
      if (confirmedAt || refusedAt || expiresAt <= at) return undefined;
      return decision === 'confirm' ? { confirmedAt: at } : { refusedAt: at };
    });
    const found = await orders.read({ page });
    if (!found) return refuse(ctx, 404, 'not_found');
    const { returnUrl } = found.kept;
    if (returnUrl === null) return send(ctx, endPage(found.kept));
    ctx.status = 303;
    ctx.set('location', asciiUrl(returnUrl));
  }

  return [
    { method: 'GET', path: PAGE, handle: show },
    { method: 'POST', path: PAGE, handle: submit },
  ];
}

function send(ctx: Context, html: string): void {
  ctx.status = 200;
  ctx.type = 'text/html; charset=utf-8';
  // Allows any web address, because browsers apply `form-action` to redirects as well.
  ctx.set(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' https: http://127.0.0.1:* http://localhost:*; frame-ancestors 'none'",
  );
  ctx.body = html;
}
