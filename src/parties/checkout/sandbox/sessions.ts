import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { typeidUnboxed } from 'typeid-js';
import type { z } from 'zod';
import type { Tx } from '../../../kernel/db/database';
import { fitsCurrency } from '../../../kernel/money/money';
import { answer, dropConnection, refuse } from '../../sandbox/answers';
import { readOrder } from '../../sandbox/body';
import { secondsAfter, secondsSince } from '../../sandbox/time';
import { refundOrder, sessionOrder } from '../protocol';
import { begin, refund, refundRefusal } from './actions';
import { type Party, type Present, presentSession, recordMade } from './party';
import { scenarioOf } from './scenarios';
import { type FullSession, refundStatusAt, wordAt } from './state';
import { countCall, lockOrder, type Refund, refundByKey, type Session, type SessionOrder } from './store';

const stateOf = ({ full, version, at }: Present) => wordAt(full, version, at);

type NoAnswer = 'another' | 'unreachable' | 'silent' | 'refused';

/** 256 bits, because the page's address is the payer's only credential. */
const PAGE_BYTES = 32;

/** The party's API, as our adapter calls it. */
export function createSessions(party: Party) {
  const { publicUrl } = party;

  async function create(ctx: Context): Promise<void> {
    const order = sessionOrder.safeParse(await readOrder(ctx));
    const key = ctx.get('idempotency-key');
    if (!order.success || key === '' || !fitsCurrency(order.data.amount, order.data.currency))
      return refuse(ctx, 422, 'malformed_order');
    const { depositId: _, ...asked } = order.data;
    const expiresAt = new Date(asked.expiresAt);
    const taken = await takeOrder(party, { ...asked, key, expiresAt });
    if (taken === 'another') return refuse(ctx, 409, 'idempotency_mismatch');
    if (taken === 'unreachable') return refuse(ctx, 503, 'unavailable');
    if (taken === 'refused') return refuse(ctx, 422, scenarioOf(order.data.amount).refusal ?? 'refused');
    if (taken === 'silent') return dropConnection(ctx);
    const { id, page } = taken.full.session;
    answer(ctx, 201, { sessionId: id, redirectUrl: `${publicUrl()}/pages/${page}`, state: stateOf(taken) });
  }

  async function show(ctx: Context, id: string): Promise<void> {
    const found = await party.read({ id });
    if (!found) return refuse(ctx, 404, 'not_found');
    answer(ctx, 200, stateOf(found));
  }

  async function makeRefund(ctx: Context, id: string): Promise<void> {
    const asked = refundOrder.safeParse(await readOrder(ctx));
    const key = ctx.get('idempotency-key');
    if (!asked.success || key === '') return refuse(ctx, 422, 'malformed_refund');
    const refusal = await takeRefund(party, key, id, asked.data);
    if (refusal === 'idempotency_mismatch') return refuse(ctx, 409, refusal);
    if (refusal !== undefined) return refuse(ctx, 422, refusal);
    const found = await party.read({ id });
    const made = found?.full.refunds.find((known) => known.key === key);
    if (!found || !made) return refuse(ctx, 404, 'not_found');
    answer(ctx, 201, { refundId: made.id, status: refundStatusAt(made, found.at) });
  }

  return { create, show, makeRefund };
}

/** Whether the key was used for another order. Addresses are not compared, because ours may change. */
const isAnother = (order: SessionOrder, known: Session): boolean =>
  order.method !== known.method || order.currency !== known.currency || !order.amount.eq(known.amount);

/** Takes an order. @returns the session's state, or why the caller gets no answer */
function takeOrder({ database, now }: Party, order: SessionOrder): Promise<Present | NoAnswer> {
  const page = randomBytes(PAGE_BYTES).toString('base64url');
  const {
    refusal,
    unreachableSeconds = 0,
    losesFirstAnswer = false,
    expiresSeconds,
  } = scenarioOf(order.amount);
  return database.transaction(async (tx) => {
    const expiresAt = expiresSeconds === undefined ? order.expiresAt : secondsAfter(now(), expiresSeconds);
    const made = { ...order, expiresAt, page, id: typeidUnboxed('cks') };
    const session = await lockOrder(tx, made, now());
    if (isAnother(order, session)) return 'another';
    const at = now();
    const first = session.calls === 0;
    if (secondsSince(session.firstAskedAt, at) < unreachableSeconds) return 'unreachable';
    countCall(tx, session.id);
    if (refusal !== undefined) return 'refused';
    const present = first ? await begun(tx, session, at) : await presentSession(tx, session.id, now);
    return losesFirstAnswer && first ? 'silent' : (present as Present);
  });
}

async function begun(tx: Tx, session: Session, at: Date): Promise<Present> {
  await begin(tx, session, at);
  return recordMade(tx, session, at);
}

type AskedRefund = z.output<typeof refundOrder>;

/** The code where a refund's key belongs to a different refund. */
const mismatchOf = (
  { session }: FullSession,
  known: Refund,
  { amount, currency }: AskedRefund,
): string | undefined => {
  const same = known.sessionId === session.id && known.amount.eq(amount) && session.currency === currency;
  return same ? undefined : 'idempotency_mismatch';
};

/** Takes a refund, idempotent by key. @returns the code of the refusal; undefined when the refund exists */
async function takeRefund(
  party: Party,
  key: string,
  sessionId: string,
  asked: AskedRefund,
): Promise<string | undefined> {
  let refusal: string | undefined;
  await party.change(sessionId, async (tx, full, at) => {
    const known = await refundByKey(tx, key);
    refusal = known ? mismatchOf(full, known, asked) : refundRefusal(full, asked.amount, asked.currency, at);
    if (known || refusal !== undefined) return false;
    await refund(tx, full.session, asked.amount, key, at);
    return true;
  });
  return refusal;
}
