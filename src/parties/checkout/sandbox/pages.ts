import type { Context } from 'koa';
import type { Tx } from '../../../kernel/db/database';
import { Decimal, fitsCurrency } from '../../../kernel/money/money';
import { asciiUrl } from '../../../kernel/wire/web-url';
import { readForm } from '../../sandbox/body';
import { contentSecurityPolicy } from '../../sandbox/page-style';
import * as act from './actions';
import { FAILURES, type PageError, SETTLEMENTS } from './outcome-forms';
import type { Party, Present } from './party';
import { renderPage, renderUnknown } from './payment-page';
import { type FullSession, refundable, statusAt } from './state';
import { forgetPlanned, type Session } from './store';

const PAGE = /^\/pages\/([\w-]{43})$/;

/** An impossible input, shown to the payer on the page. */
class WrongInput extends Error {}

type Fields = URLSearchParams;

interface Action {
  /** Statuses that allow the action. In another status the form is outdated and has no effect. */
  from: readonly string[];
  run(tx: Tx, full: FullSession, fields: Fields, at: Date): Promise<void>;
  /** Where the browser goes: to the shop, or back to the page. */
  then: 'shop' | 'page';
}

const UNPAID = ['open', 'expired', 'cancelled', 'failed'];
const PAID = ['paid', 'settled'];

const ACTIONS: Readonly<Record<string, Action>> = {
  pay: {
    from: ['open'],
    then: 'shop',
    run: (tx, { session }, _, at) => act.payByScenario(tx, session, at),
  },
  pay_as: {
    from: UNPAID,
    then: 'shop',
    run: (tx, { session }, fields, at) => act.pay(tx, session, paymentOf(session, fields), at),
  },
  cancel: { from: ['open'], then: 'shop', run: (tx, { session }) => act.cancel(tx, session) },
  fail: {
    from: ['open'],
    then: 'shop',
    run: (tx, { session }, fields, at) => act.fail(tx, session, failureOf(fields), at),
  },
  settle: { from: ['paid'], then: 'page', run: (tx, { session }, _, at) => act.settle(tx, session, at) },
  bounce: {
    from: ['paid'],
    then: 'page',
    run: (tx, { session }, _, at) => act.fail(tx, session, 'payment_reversed', at),
  },
  pay_again: {
    from: PAID,
    then: 'page',
    run: (tx, { session }, fields, at) => act.pay(tx, session, paymentOf(session, fields), at),
  },
  dispute: {
    from: PAID,
    then: 'page',
    run: (tx, { session }, fields, at) => act.dispute(tx, session, amountOf(session, fields), at),
  },
  dispute_won: {
    from: PAID,
    then: 'page',
    run: (tx, { session }, _, at) => act.decideDisputes(tx, session, 'won', at),
  },
  dispute_lost: {
    from: PAID,
    then: 'page',
    run: (tx, { session }, _, at) => act.decideDisputes(tx, session, 'lost', at),
  },
  refund: {
    from: PAID,
    then: 'page',
    async run(tx, full, fields, at) {
      const amount = amountOf(full.session, fields);
      const left = refundable(full, at);
      if (amount.gt(left)) throw new WrongInput(`The amount must be at most ${left.toFixed()}.`);
      await act.refund(tx, full.session, amount, null, at);
    },
  },
};

/**
 * The payer's page. Its address holds 256 random bits, only the payer learns it, and nothing else (no cookie, no
 * network address) gives access. Another site cannot send these forms in the payer's name, because it does not know the
 * address.
 */
export function createPages(party: Party) {
  const show = (ctx: Context, { full, at }: Present, status = 200, wrong?: PageError): void =>
    send(ctx, status, renderPage(full, at, wrong), full.session);

  async function submit(ctx: Context, present: Present): Promise<void> {
    const { session } = present.full;
    const fields = await readForm(ctx);
    if (!fields) return show(ctx, present, 400);
    const name = fields.get('action') ?? '';
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (!action) return show(ctx, present);
    try {
      await party.change(session.id, (tx, full, at) => perform(action, tx, full, fields, at));
    } catch (error) {
      if (!(error instanceof WrongInput)) throw error;
      const wrong = { action: name, message: error.message, given: fields.get('amount') ?? '' };
      return show(ctx, present, 400, wrong);
    }
    redirect(
      ctx,
      action.then === 'shop' ? asciiUrl(session.returnUrl) : `${party.publicUrl()}/pages/${session.page}`,
      session,
    );
  }

  return async (ctx: Context): Promise<void> => {
    const page = PAGE.exec(ctx.path)?.[1];
    const present = page === undefined ? undefined : await party.read({ page });
    if (!present) return send(ctx, 404, renderUnknown());
    if (ctx.method === 'POST') return submit(ctx, present);
    if (ctx.method === 'GET' || ctx.method === 'HEAD') return show(ctx, present);
    ctx.set('allow', 'GET, POST');
    send(ctx, 405, renderUnknown());
  };
}

/** @returns false for an outdated form, which changes nothing */
async function perform(
  { from, run }: Action,
  tx: Tx,
  full: FullSession,
  fields: Fields,
  at: Date,
): Promise<boolean> {
  const status = statusAt(full, at);
  if (!from.includes(status)) return false;
  // A tester has acted, so the planned payments are dropped.
  if (UNPAID.includes(status)) await forgetPlanned(tx, full.session.id, at);
  await run(tx, full, fields, at);
  return true;
}

/** Answers 303, so that going back in the browser sends no form twice. */
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

function paymentOf(session: Session, fields: Fields): act.NewPayment {
  const settles = SETTLEMENTS.find(({ value }) => value === fields.get('settles')) ?? SETTLEMENTS[0];
  return {
    amount: amountOf(session, fields),
    settlesSeconds: settles.seconds,
    risk: fields.get('risk') === 'review' ? 'review' : 'normal',
  };
}

/** Reads the amount of a form. @throws WrongInput */
function amountOf({ currency }: Session, fields: Fields): Decimal {
  const text = (fields.get('amount') ?? '').trim().replace(',', '.');
  const amount = /^\d{1,12}(\.\d{1,18})?$/.test(text) ? new Decimal(text) : undefined;
  if (amount?.gt(0) && fitsCurrency(amount, currency)) return amount;
  throw new WrongInput(`The amount must be a number in ${currency}, such as 10 or 10.50.`);
}

const failureOf = (fields: Fields): string =>
  (FAILURES.find(({ value }) => value === fields.get('failure')) ?? FAILURES[0]).value;
