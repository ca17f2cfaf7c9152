import { randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import { Decimal } from '../../../kernel/money/money';
import { decimalText } from '../../../kernel/wire/schemas';
import { asciiUrl } from '../../../kernel/wire/web-url';
import { readForm, readOrder } from '../../sandbox/body';
import { createCallbackSender } from '../../sandbox/callback-sender';
import type { PartyOptions } from '../../sandbox/options';
import { followOrder } from './follow';
import { decisionPage, endPage } from './page';
import { toldAt } from './progress';
import { scenarioOf } from './scenarios';
import {
  decide,
  findByPage,
  findOrder,
  lockOrder,
  type NewOrder,
  noteCall,
  type SandboxCardOrder,
} from './store';

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
export function createExternalCardsParty({
  database,
  secret,
  now,
  publicUrl,
}: Omit<PartyOptions, 'now'> & { now: () => Date }): Middleware {
  const callbacks = createCallbackSender({ secret, now });
  const follow = (order: SandboxCardOrder) => followOrder(order, { callbacks, now });

  /** What the acquirer does with an order: where it stands, or why its caller hears nothing of it. */
  function take(given: NewOrder): Promise<SandboxCardOrder | 'unreachable' | 'silent'> {
    const at = now();
    return database.transaction(async (tx) => {
      const order = await lockOrder(tx, given, at);
      const { unreachableSeconds = 0, losesFirstAnswer } = scenarioOf(order.token);
      if (at.getTime() - order.firstAskedAt.getTime() < unreachableSeconds * 1000) return 'unreachable';
      await noteCall(tx, order.key, at);
      const accepted = { ...order, acceptedAt: order.acceptedAt ?? at };
      if (order.acceptedAt === null) tx.afterCommit(() => follow(accepted));
      return order.calls === 0 && losesFirstAnswer ? 'silent' : accepted;
    });
  }

  /** With the address of its page while the payer must act. */
  function told(order: SandboxCardOrder): object {
    const state = toldAt(order, now());
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
    const taken = await take({
      ...rest,
      ...{ key, kind, page, amount: new Decimal(amount), expiresAt: new Date(expiresAt) },
    });
    if (taken === 'unreachable') return refuse(ctx, 503, 'unavailable');
    if (taken === 'silent') return fallSilent(ctx);
    answer(ctx, 201, told(taken));
  }

  async function show(ctx: Context, key: string): Promise<void> {
    const found = await findOrder(database, key);
    if (!found?.acceptedAt) return refuse(ctx, 404, 'not_found');
    answer(ctx, 200, told(found));
  }

  async function page(ctx: Context, secretPart: string): Promise<void> {
    if (ctx.method === 'POST') return decided(ctx, secretPart);
    const found = await findByPage(database, secretPart);
    if (!found) return refuse(ctx, 404, 'not_found');
    const waits = toldAt(found, now()).status === 'requires_action';
    sendPage(ctx, waits ? decisionPage(found, `${publicUrl()}/pages/${secretPart}`) : endPage(found));
  }

  /** A payer who decides twice has decided once; where he came from he is led back to in any case. */
  async function decided(ctx: Context, secretPart: string): Promise<void> {
    const decision = (await readForm(ctx))?.get('decision');
    if (decision !== 'confirm' && decision !== 'refuse') return refuse(ctx, 400, 'no_decision');
    const first = await decide(database, secretPart, decision, now());
    const found = await findByPage(database, secretPart);
    if (!found) return refuse(ctx, 404, 'not_found');
    if (first) follow(found);
    if (found.returnUrl === null) return sendPage(ctx, endPage(found));
    ctx.status = 303;
    ctx.set('location', asciiUrl(found.returnUrl));
  }

  return async (ctx, next) => {
    const [, what, id] = PATHS.exec(ctx.path) ?? [];
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    if (method === 'POST' && id === undefined && what === 'charges') return order(ctx, 'charge');
    if (method === 'POST' && id === undefined && what === 'pushes') return order(ctx, 'push');
    if (method === 'GET' && id !== undefined && what === 'orders') return show(ctx, decodeURIComponent(id));
    if (id !== undefined && what === 'pages' && (method === 'GET' || method === 'POST')) return page(ctx, id);
    await next();
  };
}

function answer(ctx: Context, status: number, body: object): void {
  ctx.status = status;
  ctx.body = body;
}

const refuse = (ctx: Context, status: number, code: string) => answer(ctx, status, { code, message: code });

/** The connection breaks before an answer. */
function fallSilent(ctx: Context): void {
  ctx.respond = false;
  ctx.req.socket.destroy();
}

function sendPage(ctx: Context, html: string): void {
  ctx.status = 200;
  ctx.type = 'text/html; charset=utf-8';
  // A form's answer may lead anywhere on the web: browsers hold `form-action` against redirects too.
  ctx.set(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' https: http://127.0.0.1:* http://localhost:*; frame-ancestors 'none'",
  );
  ctx.body = html;
}
