import { decimalsOf } from '../../../src/kernel/money/currencies';
import { Decimal } from '../../../src/kernel/money/money';
import { everyRate } from '../market';
import { PROGRAMMES } from '../world';
import type { CardRow, TransactionRow } from './records';

/**
 * A second implementation of the card event rules of decisions part 3, without code of the engine. The rules check
 * whether an event may follow the earlier events, and with which amounts.
 */

const ZERO = new Decimal(0);
const DAY_MS = 86_400_000;

export interface Counters {
  authorized: Decimal;
  settled: Decimal;
  reversed: Decimal;
  refunded: Decimal;
}

export interface ChainState {
  id: string;
  reference: string;
  currency: string;
  rate: Decimal;
  own: Counters;
  billing: Counters;
  feeHeld: Decimal;
  /** The net amount that its forced events have drawn from the buffer. */
  drawn: Decimal;
  lastSettle: string | null;
  /** When it expires: the programme's days after the last unforced authorization. */
  validUntil: Date;
}

/** The state of a card by its events so far. */
export interface CardState {
  card: CardRow;
  status: 'pending' | 'active' | 'frozen' | 'closing' | 'closed';
  available: Decimal;
  /** The buffer, and its movements by reference (`buffers.ts`). */
  buffer: Decimal;
  moved: Map<string, Decimal>;
  /** The amount that each funding has set aside, by the id of its event. */
  deposits: ReadonlyMap<string, Decimal>;
  /** The forced authorization that the buffer was just drawn for. */
  drawnFor: string | null;
  /** How much was drawn for it. */
  drawnAmount: Decimal;
  /** The amount that the preceding release must return to the buffer. */
  due: { amount: Decimal; chain: ChainState; cancel: string } | null;
  /** The events that callers know. All other events are consequences. */
  asked: ReadonlySet<string>;
  chains: Map<string, ChainState>;
  /** By chain, the recorded rate. The rules compare it with the test's market. */
  rates: Map<string, Decimal>;
  /** Chains that the test has aged, so that they expire. */
  aged: ReadonlySet<string>;
  /** Whether the card or its user has or had limits of its own. */
  everLimited: boolean;
}

/** Reports a problem of an event. */
export type Complain = (what: string) => void;

export const programmeOf = (card: CardRow) =>
  Object.values(PROGRAMMES).find(({ bin }) => bin === card.bin) as (typeof PROGRAMMES)['usd'];

const counters = (): Counters => ({ authorized: ZERO, settled: ZERO, reversed: ZERO, refunded: ZERO });
export const remaining = (c: Counters) => c.authorized.minus(c.settled).minus(c.reversed);
export const refundable = (c: Counters) => c.settled.minus(c.refunded);

function rounded(amount: Decimal, currency: string): Decimal {
  return amount.toDecimalPlaces(decimalsOf(currency), Decimal.ROUND_HALF_UP);
}

/** The proportional share, rounded down. The last part takes the whole rest. */
function share(of: Decimal, part: Decimal, whole: Decimal, currency: string): Decimal {
  return part.eq(whole)
    ? of
    : of.times(part).dividedBy(whole).toDecimalPlaces(decimalsOf(currency), Decimal.ROUND_DOWN);
}

export function ratesOf(card: CardRow, currency: string): Decimal[] {
  if (currency === card.currency) return [new Decimal(1)];
  const markup = programmeOf(card).markupPercent.dividedBy(100).plus(1);
  return everyRate(currency, card.currency).map((rate) => rate.times(markup).toSignificantDigits(15));
}

function authorization(state: CardState, event: TransactionRow, wrong: Complain): void {
  const { card } = state;
  const programme = programmeOf(card);
  const opens = event.authorization_id === event.id;
  const chain = opens ? openChain(state, event, wrong) : state.chains.get(event.authorization_id ?? '');
  if (!chain) return wrong('grows a chain that was never opened');
  if (!opens && event.linked_id !== chain.id) wrong('is not linked to its authorization');
  if (!opens && !event.forced && !remaining(chain.own).gt(0)) wrong('grows a chain that holds nothing');
  if (!event.billing_amount.eq(rounded(event.amount.times(chain.rate), card.currency)))
    wrong('is billed at another rate');
  if (!event.forced) {
    if (state.status !== 'active') wrong(`is authorized on a card that is ${state.status}`);
    if (event.billing_amount.gt(0) && state.available.lt(event.billing_amount))
      wrong('is more than was available');
    if (programme.maxAuthorization?.lt(totalOf(chain).plus(event.billing_amount)))
      wrong('is above the limit');
    if (programme.blockedMccs.includes(event.merchant?.mcc ?? '')) wrong('is at a blocked merchant');
  }
  if (opens || !event.forced || state.asked.has(event.id))
    chain.validUntil = new Date(event.at.getTime() + programme.authorizationDays * DAY_MS);
  if (state.drawnFor === event.id) chain.drawn = chain.drawn.plus(state.drawnAmount);
  chain.own.authorized = chain.own.authorized.plus(event.amount);
  chain.billing.authorized = chain.billing.authorized.plus(event.billing_amount);
  const percent = rounded(
    event.billing_amount.times(programme.fees.settlePercent).dividedBy(100),
    card.currency,
  );
  chain.feeHeld = chain.feeHeld.plus(opens ? programme.fees.settleFixed : 0).plus(percent);
}

const totalOf = ({ billing }: ChainState) => billing.authorized.minus(billing.reversed);

/** Whether the linked chain has ended. */
function hasEnded(state: CardState, id: string): boolean {
  const chain = state.chains.get(id);
  return chain !== undefined && (remaining(chain.own).isZero() || state.aged.has(id));
}

function openChain(state: CardState, event: TransactionRow, wrong: Complain): ChainState {
  const { currency, id, reference_id: reference } = event;
  const rate = state.rates.get(id) ?? ZERO;
  if (!ratesOf(state.card, currency).some((each) => each.eq(rate)))
    wrong('is given a rate that there never was');
  if (event.linked_id !== null && !hasEnded(state, event.linked_id))
    wrong('opens a chain in place of one that has not ended');
  const chain = { id, reference, currency, rate, own: counters(), billing: counters() };
  state.chains.set(id, { ...chain, feeHeld: ZERO, drawn: ZERO, lastSettle: null, validUntil: event.at });
  return state.chains.get(id) as ChainState;
}

/** Applies a settle or a cancel: it takes its part of the hold, in both currencies, and of the held fee. */
function takePart(state: CardState, event: TransactionRow, wrong: Complain): ChainState | undefined {
  const chain = state.chains.get(event.authorization_id ?? '');
  if (!chain) {
    wrong('follows no authorization');
    return undefined;
  }
  const held = remaining(chain.own);
  if (event.amount.lte(0) || event.amount.gt(held))
    wrong(`is not within the ${held.toFixed()} that are held`);
  if (event.currency !== chain.currency) wrong('is in another currency than its authorization');
  if (event.linked_id !== chain.id) wrong('is not linked to its authorization');
  const billing = share(remaining(chain.billing), event.amount, held, state.card.currency);
  if (!event.billing_amount.eq(billing)) wrong(`should be billed as ${billing.toFixed()}`);
  const fee = share(chain.feeHeld, event.amount, held, state.card.currency);
  if (event.type === 'settle' && !event.fee.eq(fee)) wrong(`should take a fee of ${fee.toFixed()}`);
  chain.feeHeld = chain.feeHeld.minus(fee);
  return chain;
}

function settle(state: CardState, event: TransactionRow, wrong: Complain): void {
  const chain = takePart(state, event, wrong);
  if (!chain) return;
  if (chain.own.settled.isZero() !== (event.reference_id === chain.reference))
    wrong('carries the wrong reference');
  chain.own.settled = chain.own.settled.plus(event.amount);
  chain.billing.settled = chain.billing.settled.plus(event.billing_amount);
  chain.lastSettle = event.id;
}

function cancel(state: CardState, event: TransactionRow, wrong: Complain): void {
  const chain = takePart(state, event, wrong);
  if (!chain) return;
  if (chain.own.reversed.isZero() !== (event.reference_id === chain.reference))
    wrong('carries the wrong reference');
  chain.own.reversed = chain.own.reversed.plus(event.amount);
  chain.billing.reversed = chain.billing.reversed.plus(event.billing_amount);
}

function refund(state: CardState, event: TransactionRow, wrong: Complain): void {
  if (event.authorization_id === null) {
    const fits = (rate: Decimal) =>
      event.billing_amount.eq(rounded(event.amount.times(rate), state.card.currency));
    if (!ratesOf(state.card, event.currency).some(fits)) wrong('is billed at no rate that there ever was');
    return;
  }
  const chain = state.chains.get(event.authorization_id);
  if (!chain) return wrong('follows no authorization');
  const open = refundable(chain.own);
  if (event.amount.lte(0) || event.amount.gt(open))
    wrong(`is not within the ${open.toFixed()} that may be refunded`);
  const billing = share(refundable(chain.billing), event.amount, open, state.card.currency);
  if (!event.billing_amount.eq(billing)) wrong(`should be billed as ${billing.toFixed()}`);
  if (event.linked_id !== chain.lastSettle) wrong('is not linked to the last settle');
  if (chain.own.refunded.isZero() !== (event.reference_id === chain.reference))
    wrong('carries the wrong reference');
  chain.own.refunded = chain.own.refunded.plus(event.amount);
  chain.billing.refunded = chain.billing.refunded.plus(event.billing_amount);
}

/** The card statuses in which each decline reason can occur. */
const DECLINES_ON: Record<string, string[]> = {
  card_closed: ['closing', 'closed'],
  card_not_active: ['pending'],
  card_frozen: ['frozen'],
  user_blocked: ['active', 'frozen'],
  insufficient_funds: ['active'],
  limit_exceeded: ['active'],
  invalid_merchant: ['active'],
  do_not_honor: ['pending', 'active', 'frozen', 'closing', 'closed'],
};

function decline(state: CardState, event: TransactionRow, wrong: Complain): void {
  const reason = event.decline_reason ?? 'nothing';
  const max = programmeOf(state.card).maxAuthorization;
  if (!DECLINES_ON[reason]?.includes(state.status))
    wrong(`is declined for ${reason} on a card that is ${state.status}`);
  const largest = [ZERO, ...[...state.chains.values()].map(totalOf)].reduce((a, b) => (a.gt(b) ? a : b));
  // Limits of cards and users may change, so `spending.ts` checks the counted amounts at the end.
  if (reason === 'limit_exceeded' && !state.everLimited && !max?.lt(largest.plus(event.billing_amount)))
    wrong('is within the limit');
  if (reason === 'invalid_merchant' && !event.merchant?.mcc) wrong('has no merchant to be declined for');
  if (!event.fee.eq(programmeOf(state.card).fees.decline)) wrong('takes the wrong fee');
}

function topup(state: CardState, event: TransactionRow, wrong: Complain): void {
  if (event.source === 'buffer') return;
  if (event.source === 'negative_balance') {
    if (!event.forced || !event.amount.eq(state.available.negated()))
      wrong('does not bring the card to zero');
    return;
  }
  if (state.status !== 'active' && state.status !== 'frozen') wrong(`funds a card that is ${state.status}`);
  if (!event.fee.eq(programmeOf(state.card).fees.topUp)) wrong('takes the wrong fee');
}

function withdraw(state: CardState, event: TransactionRow, wrong: Complain): void {
  if (state.available.lt(event.amount)) wrong('takes more than was available');
  if (event.source === 'closure' && !event.amount.eq(state.available)) wrong('does not empty the card');
  if (event.source === null && state.status !== 'active' && state.status !== 'frozen')
    wrong(`takes from a card that is ${state.status}`);
}

function moves(from: CardState['status'][], to: CardState['status']) {
  return (state: CardState, event: TransactionRow, wrong: Complain): void => {
    if (!from.includes(state.status)) wrong(`happens to a card that is ${state.status}`);
    if (event.type === 'close' && !state.available.isZero()) wrong('leaves money on the card');
    if (event.type === 'issue' && !event.amount.eq(state.card.initial_amount))
      wrong('carries another amount');
    state.status = to;
  };
}

/** Checks an event against the earlier ones, and applies it to the card's chains and status. */
export const RULES: Record<string, (state: CardState, event: TransactionRow, wrong: Complain) => void> = {
  authorization,
  settle,
  cancel,
  refund,
  decline,
  topup,
  withdraw,
  issue: moves(['pending'], 'active'),
  freeze: moves(['active'], 'frozen'),
  unfreeze: moves(['frozen'], 'active'),
  close: moves(['active', 'frozen', 'closing'], 'closed'),
};
