import type { Context, Middleware, Next } from 'koa';
import { z } from 'zod';
import type { Tx } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';
import { answer, dropConnection, refuse } from '../../sandbox/answers';
import { readOrder } from '../../sandbox/body';
import type { PartyOptions } from '../../sandbox/options';
import { secondsSince } from '../../sandbox/time';
import { type Callbacks, createCallbacks } from './callbacks';
import { wordAt } from './progress';
import { scenarioOf } from './scenarios';
import { findOrder, lockOrder, noteCall, type Order, type SandboxPayout } from './store';

const orderSchema = z.object({
  method: z.string(),
  amount: z.string(),
  currency: z.string(),
  destination: z.record(z.string(), z.string()),
  callbackUrl: z.url(),
});

const ORDERS = /\/orders(?:\/([^/]+))?$/;

/**
 * A payouts party that pays nobody: `POST /orders` under an `idempotency-key`, `GET /orders/{key}`, and callbacks. It
 * commits by itself, as an outside party would: what it did stays done although its caller may fail afterwards. Faults come
 * from the amount (scenarios.ts), never by chance. Of the destination it keeps nothing.
 */
export function createPayoutsParty({ database, secret, now }: PartyOptions): Middleware {
  const callbacks = createCallbacks({ secret, now });

  async function order(ctx: Context): Promise<void> {
    const body = orderSchema.safeParse(await readOrder(ctx));
    const key = ctx.get('idempotency-key');
    if (!body.success || key === '') return refuse(ctx, 422, 'malformed_order');
    const { method, amount, currency, callbackUrl } = body.data;
    const given = { key, method, amount: new Decimal(amount), currency, callbackUrl };
    const taken = await database.transaction((tx) => takeOrder(tx, given, now(), callbacks));
    if (taken === 'unreachable') return refuse(ctx, 503, 'unavailable');
    if (taken === 'silent') return dropConnection(ctx);
    answer(ctx, 201, wordAt(taken, now()));
  }

  async function show(ctx: Context, key: string): Promise<void> {
    const payout = await findOrder(database, key);
    if (!payout?.acceptedAt) return refuse(ctx, 404, 'not_found');
    answer(ctx, 200, wordAt(payout, now()));
  }

  return async (ctx: Context, next: Next): Promise<void> => {
    const match = ORDERS.exec(ctx.path);
    if (!match) return void (await next());
    const [, key] = match;
    if (key === undefined && ctx.method === 'POST') return order(ctx);
    if (key !== undefined && ctx.method === 'GET') return show(ctx, decodeURIComponent(key));
    refuse(ctx, 405, 'method_not_allowed');
  };
}

/** What the party does with an order: the payout, or why its caller gets no answer. */
async function takeOrder(
  tx: Tx,
  order: Order,
  at: Date,
  callbacks: Callbacks,
): Promise<SandboxPayout | 'unreachable' | 'silent'> {
  const payout = await lockOrder(tx, order, at);
  const { unreachableSeconds = 0, losesFirstOrder, losesFirstAnswer } = scenarioOf(payout.amount);
  if (secondsSince(payout.firstAskedAt, at) < unreachableSeconds) return 'unreachable';
  const first = payout.calls === 0;
  const lost = first && losesFirstOrder === true;
  await noteCall(tx, order.key, lost ? null : at);
  if (lost) return 'silent';
  const accepted = { ...payout, acceptedAt: payout.acceptedAt ?? at };
  if (payout.acceptedAt === null) tx.afterCommit(() => callbacks.follow(accepted));
  return first && losesFirstAnswer === true ? 'silent' : accepted;
}
