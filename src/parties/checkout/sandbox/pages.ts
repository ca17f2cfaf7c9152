import type { Context } from 'koa';
import { Decimal, fitsCurrency } from '../../../kernel/money/money';
import { asciiUrl } from '../../../kernel/wire/web-url';
import { sendPage } from '../../sandbox/answers';
import { readForm } from '../../sandbox/body';
import type { Orders } from '../../sandbox/orders/orders';
import * as act from './actions';
import { FAILURES, type PageError, SETTLEMENTS } from './outcome-forms';
import { renderPage, renderUnknown } from './payment-page';
import type { AskedSession, Session, SessionState } from './record';
import { refundable, type SessionReport, statusAt } from './state';

const PAGE = /^\/pages\/([\w-]{43})$/;

/** An impossible input, shown to the payer on the page. */
class WrongInput extends Error {}

type Fields = URLSearchParams;

interface Action {
  /** Statuses that allow the action. In another status the form is outdated and has no effect. */
  from: readonly string[];
  run(session: Session, fields: Fields, at: Date): Partial<SessionState>;
  /** Where the browser goes: to the shop, or back to the page. */
  then: 'shop' | 'page';
}

const UNPAID = ['open', 'expired', 'cancelled', 'failed'];
const PAID = ['paid', 'settled'];

const ACTIONS: Readonly<Record<string, Action>> = {
  pay: {
    from: ['open'],
    then: 'shop',
    run: (session, _, at) => act.payByScenario(session, at),
  },
  pay_as: {
    from: UNPAID,
    then: 'shop',
    run: (session, fields, at) => act.pay(session, paymentOf(session, fields), at),
  },
  cancel: { from: ['open'], then: 'shop', run: () => act.CANCELLED },
  fail: {
    from: ['open'],
    then: 'shop',
    run: (session, fields, at) => act.fail(session, failureOf(fields), at),
  },
  settle: { from: ['paid'], then: 'page', run: (session, _, at) => act.settle(session, at) },
  bounce: {
    from: ['paid'],
    then: 'page',
    run: (session, _, at) => act.fail(session, 'payment_reversed', at),
  },
  pay_again: {
    from: PAID,
    then: 'page',
    run: (session, fields, at) => act.pay(session, paymentOf(session, fields), at),
  },
  dispute: {
    from: PAID,
    then: 'page',
    run: (session, fields, at) => act.dispute(session, amountOf(session, fields), at),
  },
  dispute_won: {
    from: PAID,
    then: 'page',
    run: (session, _, at) => act.decideDisputes(session, 'won', at),
  },
  dispute_lost: {
    from: PAID,
    then: 'page',
    run: (session, _, at) => act.decideDisputes(session, 'lost', at),
  },
  refund: {
    from: PAID,
    then: 'page',
    run(session, fields, at) {
      const amount = amountOf(session, fields);
      const left = refundable(session, at);
      if (amount.gt(left)) throw new WrongInput(`The amount must be at most ${left.toFixed()}.`);
      return act.refund(session, amount, null, at);
    },
  },
};

/**
 * The payer's page. Its address holds 256 random bits, only the payer learns it, and nothing else (no cookie, no
 * network address) gives access. Another site cannot send these forms in the payer's name, because it does not know the
 * address.
 */
export function createPages(
  sessions: Orders<AskedSession, SessionState, SessionReport>,
  publicUrl: () => string,
) {
  async function submit(ctx: Context, session: Session, at: Date): Promise<void> {
    const fields = await readForm(ctx);
    if (!fields) return show(ctx, session, at, 400);
    const name = fields.get('action') ?? '';
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (!action) return show(ctx, session, at);
    const { id, page, returnUrl } = session;
    try {
      await sessions.change({ id }, (kept, now) => changedBy(action, kept as Session, fields, now));
    } catch (error) {
      if (!(error instanceof WrongInput)) throw error;
      const wrong = { action: name, message: error.message, given: fields.get('amount') ?? '' };
      return show(ctx, session, at, 400, wrong);
    }
    redirect(ctx, action.then === 'shop' ? asciiUrl(returnUrl) : `${publicUrl()}/pages/${page}`);
  }

  return async (ctx: Context): Promise<void> => {
    const page = PAGE.exec(ctx.path)?.[1];
    const present = page === undefined ? undefined : await sessions.read({ page });
    if (!present) return sendPage(ctx, 404, renderUnknown());
    const session = present.kept as Session;
    if (ctx.method === 'POST') return submit(ctx, session, present.at);
    if (ctx.method === 'GET' || ctx.method === 'HEAD') return show(ctx, session, present.at);
    ctx.set('allow', 'GET, POST');
    sendPage(ctx, 405, renderUnknown());
  };
}

const show = (ctx: Context, session: Session, at: Date, status = 200, wrong?: PageError): void =>
  sendPage(ctx, status, renderPage(session, at, wrong));

/** @returns undefined for an outdated form, which changes nothing */
function changedBy(
  { from, run }: Action,
  session: Session,
  fields: Fields,
  at: Date,
): Partial<SessionState> | undefined {
  const status = statusAt(session, at);
  if (!from.includes(status)) return undefined;
  if (!UNPAID.includes(status)) return run(session, fields, at);
  const known = act.withoutPlanned(session, at);
  return { payments: known.payments, ...run(known, fields, at) };
}

/** Answers 303, so that going back in the browser sends no form twice. */
function redirect(ctx: Context, location: string): void {
  ctx.status = 303;
  ctx.set('location', location);
  ctx.body = '';
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
