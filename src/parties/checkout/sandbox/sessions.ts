import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { typeidUnboxed } from 'typeid-js';
import { z } from 'zod';
import type { Tx } from '../../../kernel/db/database';
import { isCurrency } from '../../../kernel/money/currencies';
import { fitsCurrency } from '../../../kernel/money/money';
import { decimal } from '../../protocol/answers';
import { answer, dropConnection, refuse } from '../../sandbox/answers';
import { readOrder } from '../../sandbox/body';
import { secondsSince } from '../../sandbox/time';
import { begin, refund, refundRefusal } from './actions';
import { type Party, type Present, presentSession, recordMade } from './party';
import { scenarioOf } from './scenarios';
import { refundStatusAt, wordAt } from './state';
import { countCall, lockOrder, type Session } from './store';

const positive = decimal.refine((amount) => amount.gt(0));
const webAddress = z.url({ protocol: /^https?$/ });

const orderSchema = z
  .object({
    method: z.enum(['card', 'bank_transfer', 'crypto']),
    amount: positive,
    currency: z.string().refine(isCurrency),
    merchant: z.string().min(1),
    returnUrl: webAddress,
    callbackUrl: webAddress,
    expiresAt: z.iso.datetime().transform((text) => new Date(text)),
  })
  .refine(({ amount, currency }) => fitsCurrency(amount, currency));

const refundSchema = z.object({ amount: positive, currency: z.string() });

const stateOf = ({ full, version, at }: Present) => wordAt(full, version, at);

type NoAnswer = 'unreachable' | 'silent' | 'refused';

/** 256 bits: an address that nobody can guess is all that a payer needs. */
const PAGE_BYTES = 32;

/** The party's API, as our adapter calls it. */
export function createSessions(party: Party) {
  const { publicUrl } = party;

  async function create(ctx: Context): Promise<void> {
    const order = orderSchema.safeParse(await readOrder(ctx));
    const key = ctx.get('idempotency-key');
    if (!order.success || key === '') return refuse(ctx, 422, 'malformed_order');
    const taken = await takeOrder(party, key, order.data);
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
    const asked = refundSchema.safeParse(await readOrder(ctx));
    const key = ctx.get('idempotency-key');
    if (!asked.success || key === '') return refuse(ctx, 422, 'malformed_refund');
    const refusal = await takeRefund(party, key, id, asked.data);
    if (refusal !== undefined) return refuse(ctx, 422, refusal);
    const found = await party.read({ id });
    const made = found?.full.refunds.find((known) => known.key === key);
    if (!found || !made) return refuse(ctx, 404, 'not_found');
    answer(ctx, 201, { refundId: made.id, status: refundStatusAt(made, found.at) });
  }

  return { create, show, makeRefund };
}

/** What the party does with an order, or why its caller gets no answer. */
function takeOrder(
  { database, now }: Party,
  key: string,
  order: z.output<typeof orderSchema>,
): Promise<Present | NoAnswer> {
  const page = randomBytes(PAGE_BYTES).toString('base64url');
  const { refusal, unreachableSeconds = 0, losesFirstAnswer = false } = scenarioOf(order.amount);
  return database.transaction(async (tx) => {
    const session = await lockOrder(tx, { ...order, key, page, id: typeidUnboxed('cks') }, now());
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

/** @returns why there is none; nothing when the refund of that key is there, now or before */
async function takeRefund(
  party: Party,
  key: string,
  sessionId: string,
  asked: z.output<typeof refundSchema>,
): Promise<string | undefined> {
  let refusal: string | undefined;
  await party.change(sessionId, async (tx, full, at) => {
    const isKnown = full.refunds.some((known) => known.key === key);
    refusal = isKnown ? undefined : refundRefusal(full, asked.amount, asked.currency, at);
    if (isKnown || refusal !== undefined) return false;
    await refund(tx, full.session, asked.amount, key, at);
    return true;
  });
  return refusal;
}
