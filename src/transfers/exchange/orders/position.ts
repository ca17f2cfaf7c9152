import { z } from 'zod';
import { byCurrency, Decimal, maxOf, minOf, roundTo, ZERO } from '../../../kernel/money/money';
import { PARTY_ACCOUNTS } from '../../../kernel/parties';
import { storedDecimal as decimal } from '../../../parties/protocol/stored';
import type { WantedBreak } from '../../../process/breaks/operations';
import { type Holding, internal } from '../../engine/books/position';
import { resolutionHolding, resolutionsOf } from '../../engine/books/resolutions';
import type { NewDecision } from '../../engine/kind';
import { last, moneyOf } from '../../engine/record';
import { type Deal, dealOf, dealtIn, NO_DEAL, orderedDeal, orderedOf, outcomeOf } from './deal';
import type { ExchangeOrder, ExchangeOrderTerms } from './record';
import { givenBefore, isReleased, RELEASE } from './release';
import { isCalledOff } from './rules';

/** A deal with its fee, in the sold currency. */
interface ClientDeal extends Deal {
  fee: Decimal;
}

/**
 * Computes the holdings of an order.
 *
 * `settlement` has what the party took of us, and `owed` what it owes us for it, both on the exchange's internal
 * account. Until the release, the client's money is held and the deal stands in `fx`. A deal that is not as ordered
 * stands in suspense, in both currencies.
 */
export function exchangeOrderPosition(order: ExchangeOrder): Holding[] {
  const { accountId, id, terms, word } = order.transfer;
  if (accountId === null) throw new Error(`the exchange order ${id} has no account`);
  const { currency, toCurrency, toAccountId } = terms;
  const [dealt, claimed, due] = [dealtIn(word), claimedIn(order), dueToClient(order)];
  const booked = withClosedAccounts(order, due);
  const resolutions = resolutionsOf(order.decisions);
  const part = null;
  const debit = (component: string, amount: Decimal) => ({
    component,
    part,
    account: accountId,
    currency,
    amount,
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
      ...resolutions.map((resolution) => ({
        currency: resolution.currency,
        amount: resolution.amount.negated(),
      })),
    ]).map(({ currency: its, amount }) => internal('suspense', its, amount)),
    ...resolutions.map(resolutionHolding),
  ];
}

/** The part of the deal that is or will be the client's. */
function claimedIn({ transfer: { terms, word } }: ExchangeOrder): Deal {
  if (word === null) return NO_DEAL;
  const outcome = outcomeOf(terms, word);
  return outcome === 'open' || outcome === 'dealt' ? orderedDeal(terms, word) : NO_DEAL;
}

/** The part of the deal that is the client's now, as long as its accounts are open. */
export function dueToClient(order: ExchangeOrder): ClientDeal {
  const deal = isReleased(order) ? dealOf(order) : undefined;
  return deal ? { ...deal, fee: feeFor(order.transfer.terms, deal.sold) } : { ...NO_DEAL, fee: ZERO };
}

/** The fee for a sold part, in proportion and rounded up. The whole fee where the whole order was sold. */
function feeFor(terms: ExchangeOrderTerms, sold: Decimal): Decimal {
  const ordered = orderedOf(terms);
  if (sold.gte(ordered)) return terms.fee;
  return roundTo(terms.fee.times(sold).dividedBy(ordered), terms.currency, Decimal.ROUND_UP);
}

/** Whether the amount is held: the order may still be dealt, or the deal is not released. */
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

/** Closed accounts receive nothing more. Amounts for them stand in suspense. */
function withClosedAccounts(order: ExchangeOrder, due: ClientDeal): ClientDeal {
  const { from, to } = closedIn(order);
  return {
    sold: from ? maxOf(due.sold, from.sold) : due.sold,
    fee: from ? maxOf(due.fee, from.fee) : due.fee,
    bought: to ? minOf(due.bought, to.bought) : due.bought,
  };
}

/** The accounts of an order for which something holds. */
export interface Sides {
  from: boolean;
  to: boolean;
}

/**
 * The accounts to which a word gives more, or returns money, than the previous word did. An account with a noted
 * closing is left out.
 */
export function givenTo(before: ExchangeOrder, now: ExchangeOrder): Sides {
  const [had, has, closed] = [dueToClient(before), dueToClient(now), closedIn(now)];
  return {
    from: !closed.from && (has.sold.lt(had.sold) || has.fee.lt(had.fee)),
    to: !closed.to && has.bought.gt(had.bought),
  };
}

/**
 * The decision to release everything bought so far, with the client's part of it. Where the receiving account was
 * closed, a second decision limits it to the amount of the last release.
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

/** The decision that accounts were closed, with what each had paid or received before. */
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

/** A notice that the deal has changed after its release. The books follow, and a person must ask why. */
export function changedSince(order: ExchangeOrder): WantedBreak[] {
  const release = last(order, RELEASE);
  const { bought } = dealtIn(order.transfer.word);
  if (!release || !dealOf(order)) return [];
  const { amount: released, currency } = moneyOf(release);
  if (bought.eq(released)) return [];
  const detail = `${released.toFixed()} was released, and ${bought.toFixed()} is bought`;
  return [{ kind: 'exchange_changed_after_release', detail, amount: bought.minus(released), currency }];
}
