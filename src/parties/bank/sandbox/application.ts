import type { Context, Middleware } from 'koa';
import { answer, refuse } from '../../sandbox/answers';
import { readOrder } from '../../sandbox/body';
import { changeTimes, versionAt } from '../../sandbox/changes';
import type { PartyOptions } from '../../sandbox/options';
import { returnOrder } from '../protocol';
import { statusAt, wordAt } from './credit';
import { giveBack } from './give-back';
import { lockCredit, returnsOf } from './store';

const PATHS = /^\/credits\/([\w-]{1,100})(\/returns)?$/;

/**
 * The simulated bank. `GET /credits/{id}` shows a payment to an IBAN (`receive.ts`). `POST /credits/{id}/returns`
 * returns it, under an `idempotency-key`. The amount of the payment selects recalls and failures (`scenarios.ts`);
 * nothing is random.
 */
export function createBankParty({ database, now }: PartyOptions): Middleware {
  async function show(ctx: Context, id: string): Promise<void> {
    const word = await database.transaction(async (tx) => {
      const credit = await lockCredit(tx, id, 'share');
      const [times, returns] = await Promise.all([changeTimes(tx, 'bank', id), returnsOf(tx, id)]);
      const at = now();
      return credit && wordAt({ credit, returns }, versionAt(times, at), at);
    });
    if (!word) return refuse(ctx, 404, 'not_found');
    answer(ctx, 200, word);
  }

  async function orderReturn(ctx: Context, creditId: string): Promise<void> {
    const asked = returnOrder.safeParse(await readOrder(ctx));
    const key = ctx.get('idempotency-key');
    if (!asked.success || key === '') return refuse(ctx, 422, 'malformed_return');
    const { amount } = asked.data;
    const made = await database.transaction((tx) => giveBack(tx, { key, creditId, amount }, now));
    if (made === 'not_found') return refuse(ctx, 404, made);
    if (made === 'idempotency_mismatch') return refuse(ctx, 409, made);
    if (typeof made === 'string') return refuse(ctx, 422, made);
    answer(ctx, 201, { id: made.id, status: statusAt(made, now()) });
  }

  return async (ctx, next) => {
    const match = PATHS.exec(ctx.path);
    if (!match) return void (await next());
    const [, id = '', returns] = match;
    if (ctx.method === 'POST' && returns !== undefined) return orderReturn(ctx, id);
    if (ctx.method !== 'GET' || returns !== undefined) return refuse(ctx, 405, 'method_not_allowed');
    await show(ctx, id);
  };
}
