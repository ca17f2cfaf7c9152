import type { Context } from 'koa';
import { asciiUrl } from '../../../kernel/wire/web-url';
import { refuse } from '../../sandbox/answers';
import { readForm } from '../../sandbox/body';
import type { Orders } from '../../sandbox/orders/orders';
import { contentSecurityPolicy } from '../../sandbox/page-style';
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
    const isOpen = word.status === 'requires_action';
    send(ctx, isOpen ? decisionPage(kept, pageUrl(publicUrl, kept)) : endPage(kept), kept.returnUrl);
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
    if (returnUrl === null) return send(ctx, endPage(found.kept), null);
    ctx.status = 303;
    ctx.set('location', asciiUrl(returnUrl));
  }

  return [
    { method: 'GET', path: PAGE, handle: show },
    { method: 'POST', path: PAGE, handle: submit },
  ];
}

function send(ctx: Context, html: string, returnUrl: string | null): void {
  ctx.status = 200;
  ctx.type = 'text/html; charset=utf-8';
  ctx.set('content-security-policy', contentSecurityPolicy(returnUrl ?? undefined));
  ctx.body = html;
}
