import type { Context, Middleware } from 'koa';
import { answer, refuse } from '../../sandbox/answers';
import type { PartyOptions } from '../../sandbox/options';
import { creditsAfter, findCredit, type SandboxCredit } from './store';

const LISTED = 100;
/** What is younger may yet be overtaken by what was received before it: it is listed again. */
const SETTLED_MS = 60_000;
const PATHS = /^\/credits(?:\/([\w-]{1,100}))?$/;

/**
 * A bank that keeps no money: `GET /credits/{id}` and `GET /credits?after=` tell of what somebody out there has paid to an
 * IBAN (receive.ts), and a callback says that it has come.
 */
export function createBankParty({ database, now }: PartyOptions): Middleware {
  async function show(ctx: Context, id: string): Promise<void> {
    const credit = await findCredit(database, id);
    if (!credit) return refuse(ctx, 404, 'not_found');
    answer(ctx, 200, creditView(credit));
  }

  async function list(ctx: Context): Promise<void> {
    const { after } = ctx.query;
    const place = typeof after === 'string' && /^\d{1,18}$/.test(after) ? after : '0';
    const credits = await creditsAfter(database, place, LISTED);
    const settled = credits.filter(({ receivedAt }) => now().getTime() - receivedAt.getTime() > SETTLED_MS);
    answer(ctx, 200, { credits: credits.map(creditView), next: settled.at(-1)?.sequence ?? null });
  }

  return async (ctx, next) => {
    const match = ctx.method === 'GET' ? PATHS.exec(ctx.path) : null;
    if (!match) return void (await next());
    const [, id] = match;
    await (id === undefined ? list(ctx) : show(ctx, id));
  };
}

const creditView = ({ id, iban, amount, currency }: SandboxCredit) => ({
  ...{ id, iban, currency },
  amount: amount.toFixed(),
  recalls: [],
  returns: [],
});
