import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { typeidUnboxed } from 'typeid-js';
import { z } from 'zod';
import { isCurrency } from '../../../kernel/money/currencies';
import { fitsCurrency } from '../../../kernel/money/money';
import { decimal } from '../../protocol/answers';
import { answer, dropConnection, refuse } from '../../sandbox/answers';
import { readOrder } from '../../sandbox/body';
import { secondsSince } from '../../sandbox/time';
import { refund, refundRefusal } from './actions';
import { type Party, paysItselfAt } from './party';
import { scenarioOf } from './scenarios';
import { loadFullSession, refundStatusAt, wordAt } from './state';
import { countCall, findSession, lockOrder, lockSession, refundsOf, type Session } from './store';

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

type NoAnswer = 'unreachable' | 'silent' | 'refused';

/** 256 bits: an address that nobody can guess is all that a payer needs. */
const PAGE_BYTES = 32;

/** The party's API, as our adapter calls it. */
export function createSessions(party: Party) {
  const { database, now, publicUrl } = party;

  async function create(ctx: Context): Promise<void> {
    const order = orderSchema.safeParse(await readOrder(ctx));
    const key = ctx.get('idempotency-key');
    if (!order.success || key === '') return refuse(ctx, 422, 'malformed_order');
    const taken = await takeOrder(party, key, order.data);
    if (taken === 'unreachable') return refuse(ctx, 503, 'unavailable');
    if (taken === 'refused') return refuse(ctx, 422, scenarioOf(order.data.amount).refusal ?? 'refused');
    if (taken === 'silent') return dropConnection(ctx);
    await party.present(taken);
    payItselfLater(party, taken);
    answer(ctx, 201, { sessionId: taken.id, redirectUrl: `${publicUrl()}/pages/${taken.page}` });
  }

  async function show(ctx: Context, id: string): Promise<void> {
    const session = await findSession(database, id);
    if (!session) return refuse(ctx, 404, 'not_found');
    answer(ctx, 200, wordAt(await loadFullSession(database, await party.present(session)), now()));
  }

  async function makeRefund(ctx: Context, id: string): Promise<void> {
    const asked = refundSchema.safeParse(await readOrder(ctx));
    const key = ctx.get('idempotency-key');
    if (!asked.success || key === '') return refuse(ctx, 422, 'malformed_refund');
    const refusal = await takeRefund(party, key, id, asked.data);
    if (refusal !== undefined) return refuse(ctx, 422, refusal);
    const made = (await refundsOf(database, id)).find((known) => known.key === key);
    if (!made) return refuse(ctx, 404, 'not_found');
    answer(ctx, 201, { refundId: made.id, status: refundStatusAt(made, now()) });
  }

  return { create, show, makeRefund };
}

/** What the party does with an order, or why its caller gets no answer. */
function takeOrder(
  { database, now }: Party,
  key: string,
  order: z.output<typeof orderSchema>,
): Promise<Session | NoAnswer> {
  const page = randomBytes(PAGE_BYTES).toString('base64url');
  const { refusal, unreachableSeconds = 0, losesFirstAnswer = false } = scenarioOf(order.amount);
  return database.transaction(async (tx) => {
    const session = await lockOrder(tx, { ...order, key, page, id: typeidUnboxed('cks') }, now());
    if (secondsSince(session.firstAskedAt, now()) < unreachableSeconds) return 'unreachable';
    await countCall(tx, session.id);
    if (refusal !== undefined) return 'refused';
    return losesFirstAnswer && session.calls === 0 ? 'silent' : session;
  });
}

/** Where it comes to nothing the session is paid when somebody asks for it. */
function payItselfLater(party: Party, session: Session): void {
  const delay = (paysItselfAt(session)?.getTime() ?? 0) - party.now().getTime();
  if (delay > 0) setTimeout(() => void party.present(session).catch(() => undefined), delay).unref();
}

/** @returns why there is none; nothing when the refund of that key is there, now or before */
async function takeRefund(
  party: Party,
  key: string,
  sessionId: string,
  asked: z.output<typeof refundSchema>,
): Promise<string | undefined> {
  let refusal: string | undefined;
  await party.change(async (tx, at) => {
    const session = await lockSession(tx, sessionId);
    if (!session) return undefined;
    const full = await loadFullSession(tx, session);
    if (full.refunds.some((known) => known.key === key)) return undefined;
    refusal = refundRefusal(full, asked.amount, asked.currency, at);
    return refusal === undefined ? refund(tx, session, asked.amount, key, at) : undefined;
  });
  return refusal;
}
