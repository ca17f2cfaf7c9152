import type { Context } from 'koa';
import type { Tx } from '../../../kernel/db/database';
import { Decimal, fitsCurrency } from '../../../kernel/money/money';
import { asciiUrl } from '../../../kernel/wire/web-url';
import { readForm } from '../../sandbox/body';
import * as act from './actions';
import { FAILURES, SETTLEMENTS } from './outcome-forms';
import type { Party } from './party';
import { renderPage, renderUnknown } from './payment-page';
import { loadFullSession, refundable, statusAt } from './state';
import { findByPage, lockSession, type Session } from './store';
import { contentSecurityPolicy } from './style';

const PAGE = /^\/pages\/([\w-]{43})$/;

/** What the payer sent cannot be: told on the page. */
class WrongInput extends Error {}

type Fields = URLSearchParams;

interface Action {
  /** Of a session that is elsewhere, the form is an old one: it has no effect. */
  from: readonly string[];
  run(tx: Tx, session: Session, fields: Fields, at: Date): Promise<act.Change>;
  /** Where the browser goes: to the shop, or to the page again. */
  then: 'shop' | 'page';
}

const UNPAID = ['open', 'expired', 'cancelled', 'failed'];
const PAID = ['paid', 'settled'];

const ACTIONS: Readonly<Record<string, Action>> = {
  pay: { from: ['open'], then: 'shop', run: (tx, session, _, at) => act.payByScenario(tx, session, at) },
  pay_as: {
    from: UNPAID,
    then: 'shop',
    run: (tx, session, fields, at) => act.pay(tx, session, paymentOf(session, fields), at),
  },
  cancel: { from: ['open'], then: 'shop', run: (tx, session) => act.cancel(tx, session) },
  fail: {
    from: ['open'],
    then: 'shop',
    run: (tx, session, fields) => act.fail(tx, session, failureOf(fields)),
  },
  settle: { from: ['paid'], then: 'page', run: (tx, session, _, at) => act.settle(tx, session, at) },
  bounce: { from: ['paid'], then: 'page', run: (tx, session) => act.fail(tx, session, 'payment_reversed') },
  pay_again: {
    from: PAID,
    then: 'page',
    run: (tx, session, fields, at) => act.pay(tx, session, paymentOf(session, fields), at),
  },
  dispute: {
    from: PAID,
    then: 'page',
    run: (tx, session, fields, at) => act.dispute(tx, session, amountOf(session, fields), at),
  },
  dispute_won: {
    from: PAID,
    then: 'page',
    run: (tx, session, _, at) => act.decideDisputes(tx, session, 'won', at),
  },
  dispute_lost: {
    from: PAID,
    then: 'page',
    run: (tx, session, _, at) => act.decideDisputes(tx, session, 'lost', at),
  },
  refund: {
    from: PAID,
    then: 'page',
    async run(tx, session, fields, at) {
      const amount = amountOf(session, fields);
      const left = refundable(await loadFullSession(tx, session), at);
      if (amount.gt(left)) throw new WrongInput(`At most ${left.toFixed()} can go back.`);
      return act.refund(tx, session, amount, null, at);
    },
  },
};

/**
 * The payer's page. The page's address holds 256 random bits and is told to the payer alone; nothing else (no cookie, no
 * address of the network) lets anybody in. So another site cannot send these forms in the payer's name: it would have to
 * know the address.
 */
export function createPages(party: Party) {
  const { database, now } = party;

  async function show(ctx: Context, session: Session, status = 200): Promise<void> {
    send(
      ctx,
      status,
      renderPage(await loadFullSession(database, await party.present(session)), now()),
      session,
    );
  }

  async function submit(ctx: Context, session: Session): Promise<void> {
    const fields = await readForm(ctx);
    if (!fields) return show(ctx, session, 400);
    const name = fields.get('action') ?? '';
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (!action) return show(ctx, session);
    try {
      await party.change(async (tx, at) => {
        const locked = await lockSession(tx, session.id);
        if (!locked || !action.from.includes(statusAt(locked, at))) return undefined;
        return action.run(tx, locked, fields, at);
      });
    } catch (error) {
      if (!(error instanceof WrongInput)) throw error;
      const wrong = { action: name, message: error.message, given: fields.get('amount') ?? '' };
      const page = renderPage(await loadFullSession(database, session), now(), wrong);
      return send(ctx, 400, page, session);
    }
    redirect(
      ctx,
      action.then === 'shop' ? asciiUrl(session.returnUrl) : `${party.publicUrl()}/pages/${session.page}`,
      session,
    );
  }

  return async (ctx: Context): Promise<void> => {
    const page = PAGE.exec(ctx.path)?.[1];
    const session = page === undefined ? undefined : await findByPage(database, page);
    if (!session) return send(ctx, 404, renderUnknown());
    if (ctx.method === 'POST') return submit(ctx, session);
    if (ctx.method === 'GET' || ctx.method === 'HEAD') return show(ctx, session);
    ctx.set('allow', 'GET, POST');
    send(ctx, 405, renderUnknown());
  };
}

/** 303: the browser asks for the next page, and going back sends nothing twice. It means nothing but that. */
function redirect(ctx: Context, location: string, { returnUrl }: Session): void {
  ctx.status = 303;
  ctx.set('location', location);
  ctx.set('content-security-policy', contentSecurityPolicy(returnUrl));
  ctx.body = '';
}

function send(ctx: Context, status: number, page: string, session?: Session): void {
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.set('content-security-policy', contentSecurityPolicy(session?.returnUrl));
  ctx.body = page;
}

function paymentOf(session: Session, fields: Fields): act.Payment {
  const settles = SETTLEMENTS.find(({ value }) => value === fields.get('settles')) ?? SETTLEMENTS[0];
  return {
    amount: amountOf(session, fields),
    settlesSeconds: settles.seconds,
    risk: fields.get('risk') === 'review' ? 'review' : 'normal',
  };
}

/** @throws WrongInput */
function amountOf({ currency }: Session, fields: Fields): Decimal {
  const text = (fields.get('amount') ?? '').trim().replace(',', '.');
  const amount = /^\d{1,12}(\.\d{1,18})?$/.test(text) ? new Decimal(text) : undefined;
  if (amount?.gt(0) && fitsCurrency(amount, currency)) return amount;
  throw new WrongInput(`Give an amount in ${currency}, such as 10 or 10.50.`);
}

const failureOf = (fields: Fields): string =>
  (FAILURES.find(({ value }) => value === fields.get('failure')) ?? FAILURES[0]).value;
