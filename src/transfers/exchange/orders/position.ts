import { z } from 'zod';
import { PARTY_ACCOUNTS } from '../../../kernel/ledger/party-accounts';
import { byCurrency, Decimal, maxOf, minOf, roundTo, ZERO } from '../../../kernel/money/money';
import { storedDecimal as decimal } from '../../../parties/protocol/stored';
import type { WantedBreak } from '../../../process/breaks/operations';
import { doorHolding, doorsOf } from '../../engine/books/doors';
import { type Holding, internal } from '../../engine/books/position';
import type { NewDecision } from '../../engine/kind';
import { last, moneyOf } from '../../engine/record';
import { type Deal, dealOf, dealtIn, NO_DEAL, orderedDeal, orderedOf, outcomeOf } from './deal';
import type { ExchangeOrder, ExchangeOrderTerms } from './record';
import { givenBefore, isReleased, RELEASE } from './release';
import { isCalledOff } from './rules';

/** A deal with what it costs, in the currency that is sold. */
interface ClientDeal extends Deal {
  fee: Decimal;
}

/**
 * What the books hold because of an order. `settlement` has what the party took of us, `owed` what it owes us for it: both
 * are the exchange's account. Until the deal is the client's it stands in the FX position,
 * and the client's money is held; what was dealt and is not as ordered stands in suspense, in both currencies.
 */
export function exchangeOrderPosition(order: ExchangeOrder): Holding[] {
  const { accountId, id, terms, word } = order.transfer;
  if (accountId === null) throw new Error(`the exchange order ${id} has no account`);
  const { currency, toCurrency, toAccountId } = terms;
  const [dealt, claimed, due] = [dealtIn(word), claimedIn(order), dueToClient(order)];
  const booked = withClosedAccounts(order, due);
  const doors = doorsOf(order.decisions);
  const part = null;
  const debit = (component: string, amount: Decimal) => ({
    ...{ component, part, account: accountId, currency, amount },
  });
  return [
    ...(isHeld(order) ? [debit('held', terms.amount)] : []),
    debit('sold', booked.sold),
    debit('fee', booked.fee),
    { component: 'bought', part, account: toAccountId, currency: toCurrency, amount: booked.bought },
    internal('fees', currency, due.fee),
    internal(PARTY_ACCOUNTS.exchange, currency, dealt.sold),
    internal('owed', toCurrency, dealt.bought.negated()),
    ...byCurrency([
      { currency, amount: claimed.sold.minus(dealt.sold) },
      { currency, amount: booked.sold.minus(due.sold).plus(booked.fee).minus(due.fee) },
      { currency: toCurrency, amount: dealt.bought.minus(claimed.bought) },
      { currency: toCurrency, amount: due.bought.minus(booked.bought) },
      ...doors.map((door) => ({ currency: door.currency, amount: door.amount.negated() })),
    ]).map(({ currency: its, amount }) => internal('suspense', its, amount)),
    ...doors.map(doorHolding),
  ];
}

/** Of what was dealt, what is the client's, or is to be. */
function claimedIn({ transfer: { terms, word } }: ExchangeOrder): Deal {
  if (word === null) return NO_DEAL;
  const outcome = outcomeOf(terms, word);
  return outcome === 'open' || outcome === 'dealt' ? orderedDeal(terms, word) : NO_DEAL;
}

/** What is the client's by now, as long as its accounts are open. */
export function dueToClient(order: ExchangeOrder): ClientDeal {
  const deal = isReleased(order) ? dealOf(order) : undefined;
  return deal ? { ...deal, fee: feeFor(order.transfer.terms, deal.sold) } : { ...NO_DEAL, fee: ZERO };
}

/** The share of the fee that a sold part bears, rounded up; the whole fee when the whole order was sold. */
function feeFor(terms: ExchangeOrderTerms, sold: Decimal): Decimal {
  const ordered = orderedOf(terms);
  if (sold.gte(ordered)) return terms.fee;
  return roundTo(terms.fee.times(sold).dividedBy(ordered), terms.currency, Decimal.ROUND_UP);
}

/** It may still be dealt, or what was dealt is not the client's yet. */
function isHeld(order: ExchangeOrder): boolean {
  const { terms, word } = order.transfer;
  if (closedIn(order).from?.sold.gt(0)) return false;
  if (word === null) return !isCalledOff(order);
  const outcome = outcomeOf(terms, word);
  return outcome === 'open' || (outcome === 'dealt' && !isReleased(order));
}

// Closed accounts ---------------------------------------------------------------------------------------------------

const closing = z.object({
  from: z.object({ sold: decimal, fee: decimal }).optional(),
  to: z.object({ bought: decimal }).optional(),
});

const CLOSED = 'account_closed';

function closedIn({ decisions }: Pick<ExchangeOrder, 'decisions'>) {
  const all = decisions.filter(({ kind }) => kind === CLOSED).map(({ data }) => closing.parse(data));
  return { from: all.find(({ from }) => from)?.from, to: all.find(({ to }) => to)?.to };
}

/** An account that was closed is given nothing more: what it would be stands in suspense. */
function withClosedAccounts(order: ExchangeOrder, due: ClientDeal): ClientDeal {
  const { from, to } = closedIn(order);
  return {
    sold: from ? maxOf(due.sold, from.sold) : due.sold,
    fee: from ? maxOf(due.fee, from.fee) : due.fee,
    bought: to ? minOf(due.bought, to.bought) : due.bought,
  };
}

/** Of an order's accounts, those to which something is true. */
export interface Sides {
  from: boolean;
  to: boolean;
}

/** Which of its accounts the word gives more than the one before, or gives back; of each a closing is noted once. */
export function givenTo(before: ExchangeOrder, now: ExchangeOrder): Sides {
  const [had, has, closed] = [dueToClient(before), dueToClient(now), closedIn(now)];
  return {
    from: !closed.from && (has.sold.lt(had.sold) || has.fee.lt(had.fee)),
    to: !closed.to && has.bought.gt(had.bought),
  };
}

/**
 * The release of all that the party has bought by now, with what of it is the client's; and, where the account that it comes to was
 * closed, that it keeps what it had of the last release, and is given nothing more.
 */
export function releasing(order: ExchangeOrder, isToClosed: boolean): NewDecision[] {
  const { word, terms } = order.transfer;
  const deal = dealOf(order) ?? NO_DEAL;
  const release = { kind: RELEASE, amount: dealtIn(word).bought, currency: terms.toCurrency };
  const data = { bought: deal.bought.toFixed() };
  const closing =
    isToClosed && deal.bought.gt(0) && !closedIn(order).to
      ? [{ kind: CLOSED, data: { to: { bought: givenBefore(order) } } }]
      : [];
  return [{ ...release, data }, ...closing];
}

/** That accounts were closed, with what each had paid or been given until then. */
export function closingOf(before: ExchangeOrder, { from, to }: Sides): NewDecision | undefined {
  if (!from && !to) return undefined;
  const { sold, fee, bought } = dueToClient(before);
  return {
    kind: CLOSED,
    data: {
      ...(from ? { from: { sold: sold.toFixed(), fee: fee.toFixed() } } : {}),
      ...(to ? { to: { bought: bought.toFixed() } } : {}),
    },
  };
}

/** The party has dealt something else than what was released: the books follow it, and a person asks why. */
export function changedSince(order: ExchangeOrder): WantedBreak[] {
  const release = last(order, RELEASE);
  const { bought } = dealtIn(order.transfer.word);
  if (!release || !dealOf(order)) return [];
  const { amount: released, currency } = moneyOf(release);
  if (bought.eq(released)) return [];
  const detail = `${released.toFixed()} was released, and ${bought.toFixed()} is bought`;
  return [{ kind: 'exchange_changed_after_release', detail, amount: bought.minus(released), currency }];
}
