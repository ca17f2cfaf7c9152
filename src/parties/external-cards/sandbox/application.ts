import { randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { answer, dropConnection, refuse } from '../../sandbox/answers';
import { readOrder } from '../../sandbox/body';
import type { PartyOptions } from '../../sandbox/options';
import { cardOrder } from '../protocol';
import { createOrders } from './orders';
import { createPages } from './pages';
import { scenarioOf } from './scenarios';

const PATHS = /^\/(charges|pushes|orders|pages)(?:\/([\w%.-]{1,200}))?$/;

/**
 * The simulated acquirer: `POST /charges` and `POST /pushes` under an `idempotency-key`, `GET /orders/{key}`, and a
 * page where the payer confirms or refuses. Its transactions commit separately from the caller's, as an outside party's
 * would. The card's token selects faults (`scenarios.ts`); nothing is random.
 */
export function createExternalCardsParty(options: PartyOptions): Middleware {
  const { publicUrl } = options;
  const orders = createOrders(options);
  const pages = createPages(orders, publicUrl);

  /** Answers with the order's state, and its page's address while the payer must act. */
  async function tell(ctx: Context, status: number, key: string): Promise<void> {
    const found = await orders.present({ key });
    if (!found) return refuse(ctx, 404, 'not_found');
    const { order, word } = found;
    const page = word.status === 'requires_action' ? { actionUrl: `${publicUrl()}/pages/${order.page}` } : {};
    answer(ctx, status, { ...word, ...page });
  }

  async function order(ctx: Context, kind: 'charge' | 'push'): Promise<void> {
    const given = cardOrder.safeParse(await readOrder(ctx));
    const key = ctx.get('idempotency-key');
    if (!given.success || key === '') return refuse(ctx, 422, 'malformed_order');
    const { expiresAt, ...rest } = given.data;
    const { orderRefusal } = scenarioOf(rest.token);
    if (orderRefusal !== undefined) return refuse(ctx, 422, orderRefusal);
    const page = randomBytes(24).toString('base64url');
    const taken = await orders.take({
      ...rest,
      key,
      kind,
      page,
      expiresAt: new Date(expiresAt),
    });
    if (taken === 'another') return refuse(ctx, 409, 'idempotency_mismatch');
    if (taken === 'unreachable') return refuse(ctx, 503, 'unavailable');
    if (taken === 'silent') return dropConnection(ctx);
    await tell(ctx, 201, key);
  }

  return async (ctx, next) => {
    const [, what, id] = PATHS.exec(ctx.path) ?? [];
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    if (method === 'POST' && id === undefined && what === 'charges') return order(ctx, 'charge');
    if (method === 'POST' && id === undefined && what === 'pushes') return order(ctx, 'push');
    if (method === 'GET' && id !== undefined && what === 'orders')
      return tell(ctx, 200, decodeURIComponent(id));
    if (id !== undefined && what === 'pages' && (method === 'GET' || method === 'POST'))
      return pages(ctx, id);
    await next();
  };
}
