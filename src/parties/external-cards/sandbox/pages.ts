import type { Context } from 'koa';
import { asciiUrl } from '../../../kernel/wire/web-url';
import { refuse } from '../../sandbox/answers';
import { readForm } from '../../sandbox/body';
import type { PartyOptions } from '../../sandbox/options';
import { decisionPage, endPage } from './payment-page';
import { wordAt } from './progress';
import { decide, findByPage, type SandboxCardOrder } from './store';

/**
 * The page of the card's bank, where the payer confirms or refuses.
 * @param follow called when the payer has decided
 * @returns answers a request for the page of that secret
 */
export function createPages(
  { database, now, publicUrl }: PartyOptions,
  follow: (order: SandboxCardOrder) => void,
): (ctx: Context, secret: string) => Promise<void> {
  async function show(ctx: Context, secret: string): Promise<void> {
    const found = await findByPage(database, secret);
    if (!found) return refuse(ctx, 404, 'not_found');
    const waits = wordAt(found, now()).status === 'requires_action';
    send(ctx, waits ? decisionPage(found, `${publicUrl()}/pages/${secret}`) : endPage(found));
  }

  /** The payer's first decision counts; the browser goes back to where it came from in any case. */
  async function submit(ctx: Context, secret: string): Promise<void> {
    const decision = (await readForm(ctx))?.get('decision');
    if (decision !== 'confirm' && decision !== 'refuse') return refuse(ctx, 400, 'no_decision');
    const first = await decide(database, secret, decision, now());
    const found = await findByPage(database, secret);
    if (!found) return refuse(ctx, 404, 'not_found');
    if (first) follow(found);
    if (found.returnUrl === null) return send(ctx, endPage(found));
    ctx.status = 303;
    ctx.set('location', asciiUrl(found.returnUrl));
  }

  return (ctx, secret) => (ctx.method === 'POST' ? submit(ctx, secret) : show(ctx, secret));
}

function send(ctx: Context, html: string): void {
  ctx.status = 200;
  ctx.type = 'text/html; charset=utf-8';
  // A form's answer may lead anywhere on the web: browsers hold `form-action` against redirects too.
  ctx.set(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' https: http://127.0.0.1:* http://localhost:*; frame-ancestors 'none'",
  );
  ctx.body = html;
}
