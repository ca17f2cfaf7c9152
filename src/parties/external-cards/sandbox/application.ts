import { randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import type { Tx } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';
import { decimalText } from '../../../kernel/wire/schemas';
import { answer, dropConnection, refuse } from '../../sandbox/answers';
import { readOrder } from '../../sandbox/body';
import { createCallbackSender } from '../../sandbox/callback-sender';
import type { PartyOptions } from '../../sandbox/options';
import { secondsSince } from '../../sandbox/time';
import { followOrder } from './follow';
import { createPages } from './pages';
import { wordAt } from './progress';
import { scenarioOf } from './scenarios';
import { findOrder, lockOrder, type NewOrder, noteCall, type SandboxCardOrder } from './store';

const orderSchema = z.object({
  token: z.string().max(255),
  amount: decimalText(),
  currency: z.string().max(8),
  merchant: z.string().max(500),
  returnUrl: z.url().nullable(),
  expiresAt: z.iso.datetime(),
  callbackUrl: z.url(),
});

const PATHS = /^\/(charges|pushes|orders|pages)(?:\/([\w%.-]{1,200}))?$/;

/**
 * An acquirer that moves no money: `POST /charges` and `POST /pushes` under an `idempotency-key`, `GET /orders/{key}`, a page
 * where the payer confirms or refuses, and callbacks. It commits by itself, as an outside party would. Faults come from the
 * card's token (scenarios.ts), never by chance.
 */
export function createExternalCardsParty(options: PartyOptions): Middleware {
  const { database, secret, now, publicUrl } = options;
  const callbacks = createCallbackSender({ secret, now });
  const follow = (order: SandboxCardOrder) => followOrder(order, { callbacks, now });
  const pages = createPages(options, follow);

  /** With the address of its page while the payer must act. */
  function wordWithPage(order: SandboxCardOrder): object {
    const state = wordAt(order, now());
    const page =
      state.status === 'requires_action' ? { actionUrl: `${publicUrl()}/pages/${order.page}` } : {};
    return { ...state, ...page };
  }

  async function order(ctx: Context, kind: 'charge' | 'push'): Promise<void> {
    const given = orderSchema.safeParse(await readOrder(ctx));
    const key = ctx.get('idempotency-key');
    if (!given.success || key === '') return refuse(ctx, 422, 'malformed_order');
    const { amount, expiresAt, ...rest } = given.data;
    const page = randomBytes(24).toString('base64url');
    const wanted = {
      ...rest,
      ...{ key, kind, page, amount: new Decimal(amount), expiresAt: new Date(expiresAt) },
    };
    const taken = await database.transaction((tx) => takeOrder(tx, wanted, now(), follow));
    if (taken === 'unreachable') return refuse(ctx, 503, 'unavailable');
    if (taken === 'silent') return dropConnection(ctx);
    answer(ctx, 201, wordWithPage(taken));
  }

  async function show(ctx: Context, key: string): Promise<void> {
    const found = await findOrder(database, key);
    if (!found?.acceptedAt) return refuse(ctx, 404, 'not_found');
    answer(ctx, 200, wordWithPage(found));
  }

  return async (ctx, next) => {
    const [, what, id] = PATHS.exec(ctx.path) ?? [];
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    if (method === 'POST' && id === undefined && what === 'charges') return order(ctx, 'charge');
    if (method === 'POST' && id === undefined && what === 'pushes') return order(ctx, 'push');
    if (method === 'GET' && id !== undefined && what === 'orders') return show(ctx, decodeURIComponent(id));
    if (id !== undefined && what === 'pages' && (method === 'GET' || method === 'POST'))
      return pages(ctx, id);
    await next();
  };
}

/** What the acquirer does with an order: where it stands, or why its caller gets no answer. */
async function takeOrder(
  tx: Tx,
  given: NewOrder,
  at: Date,
  follow: (order: SandboxCardOrder) => void,
): Promise<SandboxCardOrder | 'unreachable' | 'silent'> {
  const order = await lockOrder(tx, given, at);
  const { unreachableSeconds = 0, losesFirstAnswer } = scenarioOf(order.token);
  if (secondsSince(order.firstAskedAt, at) < unreachableSeconds) return 'unreachable';
  await noteCall(tx, order.key, at);
  const accepted = { ...order, acceptedAt: order.acceptedAt ?? at };
  if (order.acceptedAt === null) tx.afterCommit(() => follow(accepted));
  return order.calls === 0 && losesFirstAnswer ? 'silent' : accepted;
}
