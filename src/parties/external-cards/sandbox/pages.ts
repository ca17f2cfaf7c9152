import type { Context } from 'koa';
import { asciiUrl } from '../../../kernel/wire/web-url';
import { refuse, sendPage } from '../../sandbox/answers';
import { readForm } from '../../sandbox/body';
import type { Orders } from '../../sandbox/orders/orders';
import type { PartyRoute } from '../../sandbox/routing';
import { decisionPage, endPage } from './payment-page';
import type { CardOrderReport } from './progress';
import type { AskedCard, CardState } from './record';

const PAGE = /^\/pages\/([\w-]{1,200})$/;

/** The page of the card's bank, where the payer confirms or refuses. */
export function pageRoutes(orders: Orders<AskedCard, CardState, CardOrderReport>): PartyRoute[] {
  async function show(ctx: Context, page = ''): Promise<void> {
    const found = await orders.read({ page });
    if (!found) return refuse(ctx, 404, 'not_found');
    const { kept, word } = found;
    const isOpen = word.status === 'requires_action';
    sendPage(ctx, 200, isOpen ? decisionPage(kept) : endPage(kept));
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
    if (returnUrl === null) return sendPage(ctx, 200, endPage(found.kept));
    ctx.status = 303;
    ctx.set('location', asciiUrl(returnUrl));
  }

  return [
    { method: 'GET', path: PAGE, handle: show },
    { method: 'POST', path: PAGE, handle: submit },
  ];
}
