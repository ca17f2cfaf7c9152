import type { Context } from 'koa';
import { asciiUrl } from '../../../kernel/wire/web-url';
import { refuse } from '../../sandbox/answers';
import { readForm } from '../../sandbox/body';
import type { Orders } from './orders';
import { decisionPage, endPage } from './payment-page';

/**
 * The page of the card's bank, where the payer confirms or refuses.
 * @returns a handler of requests for the page with that secret
 */
export function createPages(
  orders: Orders,
  publicUrl: () => string,
): (ctx: Context, secret: string) => Promise<void> {
  async function show(ctx: Context, secret: string): Promise<void> {
    const found = await orders.present({ page: secret });
    if (!found) return refuse(ctx, 404, 'not_found');
    const { order, word } = found;
    const waits = word.status === 'requires_action';
    send(ctx, waits ? decisionPage(order, `${publicUrl()}/pages/${secret}`) : endPage(order));
  }

  /** Redirects the browser to the return address, even if the decision came too late. */
  async function submit(ctx: Context, secret: string): Promise<void> {
    const decision = (await readForm(ctx))?.get('decision');
    if (decision !== 'confirm' && decision !== 'refuse') return refuse(ctx, 400, 'no_decision');
    await orders.decide(secret, decision);
    const found = await orders.present({ page: secret });
    if (!found) return refuse(ctx, 404, 'not_found');
    const { returnUrl } = found.order;
    if (returnUrl === null) return send(ctx, endPage(found.order));
    ctx.status = 303;
    ctx.set('location', asciiUrl(returnUrl));
  }

  return (ctx, secret) => (ctx.method === 'POST' ? submit(ctx, secret) : show(ctx, secret));
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
