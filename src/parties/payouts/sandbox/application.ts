import type { Context, Middleware, Next } from 'koa';
import type { Tx } from '../../../kernel/db/database';
import { answer, dropConnection, refuse } from '../../sandbox/answers';
import { readOrder } from '../../sandbox/body';
import { changeTimes, recordChange, versionAt } from '../../sandbox/changes';
import type { PartyOptions } from '../../sandbox/options';
import { secondsSince } from '../../sandbox/time';
import { payoutOrder } from '../protocol';
import { momentsOf, type ToldPayout, wordAt } from './progress';
import { scenarioOf } from './scenarios';
import { findOrder, lockOrder, noteCall, type Order } from './store';

const ORDERS = /\/orders(?:\/([^/]+))?$/;

/**
 * A payouts party that pays nobody: `POST /orders` under an `idempotency-key`, `GET /orders/{key}`. It commits by itself, as
 * an outside party would: what it did stays done although its caller may fail afterwards. Faults come from the amount
 * (scenarios.ts), never by chance. Of the destination it keeps nothing.
 */
export function createPayoutsParty({ database, now }: PartyOptions): Middleware {
  async function order(ctx: Context): Promise<void> {
    const body = payoutOrder.safeParse(await readOrder(ctx));
    const key = ctx.get('idempotency-key');
    if (!body.success || key === '') return refuse(ctx, 422, 'malformed_order');
    const { method, amount, currency, callbackUrl } = body.data;
    const { orderRefusal } = scenarioOf(amount);
    if (orderRefusal !== undefined) return refuse(ctx, 422, orderRefusal);
    const given = { key, method, amount, currency, callbackUrl };
    const taken = await database.transaction((tx) => takeOrder(tx, given, now));
    if (taken === 'another') return refuse(ctx, 409, 'idempotency_mismatch');
    if (taken === 'unreachable') return refuse(ctx, 503, 'unavailable');
    if (taken === 'silent') return dropConnection(ctx);
    answer(ctx, 201, taken);
  }

  async function show(ctx: Context, key: string): Promise<void> {
    const word = await database.transaction((tx) => presentWord(tx, key, now));
    if (!word) return refuse(ctx, 404, 'not_found');
    answer(ctx, 200, word);
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

async function presentWord(tx: Tx, key: string, now: () => Date): Promise<ToldPayout | undefined> {
  const [payout, times] = await Promise.all([findOrder(tx, key), changeTimes(tx, 'payouts', key)]);
  const at = now();
  return payout?.acceptedAt ? wordAt(payout, versionAt(times, at), at) : undefined;
}

/** The key was used for another order. Where it calls may change: our address may. */
const isAnother = (order: Order, known: Order): boolean =>
  order.method !== known.method || order.currency !== known.currency || !order.amount.eq(known.amount);

/** What the party does with an order: its word, or why its caller gets no answer. */
async function takeOrder(
  tx: Tx,
  order: Order,
  now: () => Date,
): Promise<ToldPayout | 'another' | 'unreachable' | 'silent'> {
  const payout = await lockOrder(tx, order, now());
  if (isAnother(order, payout)) return 'another';
  const at = now();
  const { key, amount, callbackUrl, firstAskedAt, calls, acceptedAt } = payout;
  const { unreachableSeconds = 0, losesFirstOrder, losesFirstAnswer, repeatsCallbacks } = scenarioOf(amount);
  if (secondsSince(firstAskedAt, at) < unreachableSeconds) return 'unreachable';
  const first = calls === 0;
  const lost = first && losesFirstOrder === true;
  noteCall(tx, key, lost ? null : at);
  if (lost) return 'silent';
  if (acceptedAt === null) {
    const record = { party: 'payouts', ref: key, callbackUrl, repeats: repeatsCallbacks === true } as const;
    recordChange(tx, record, [{ at, quiet: true }], momentsOf(payout, at));
  }
  if (first && losesFirstAnswer === true) return 'silent';
  // Taken just now it has changed once, and nothing has happened to it.
  if (acceptedAt === null) return wordAt({ ...payout, acceptedAt: at }, 1, at);
  return (await presentWord(tx, key, now)) as ToldPayout;
}
