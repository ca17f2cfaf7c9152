import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Decimal, sumOf, ZERO } from '../../../../../src/kernel/money/money';
import type { ExchangeOrderWord } from '../../../../../src/parties/exchange/word';
import type { Holding } from '../../../../../src/transfers/engine/books/position';
import type { NewDecision } from '../../../../../src/transfers/engine/kind';
import { exchangeOrderKind } from '../../../../../src/transfers/exchange/orders/kind';
import { closingOf, givenTo } from '../../../../../src/transfers/exchange/orders/position';
import type { ExchangeOrder, ExchangeOrderTerms } from '../../../../../src/transfers/exchange/orders/record';
import { type Exchange, hasResolutions, smallestOf, totalOf } from '../../books';
import { begun } from '../../look';
import { type Act, CLOSE, type KindProof } from '../kind-proof';
import { percentOf, version } from './amounts';
import { actsOf, commonDecision } from './people';

const TERMS: ExchangeOrderTerms = {
  currency: 'EUR',
  toAccountId: 'acc_to',
  toCurrency: 'USD',
  minReceive: null,
  amount: new Decimal(100),
  fee: new Decimal('0.50'),
};

const ALL: readonly ExchangeOrderTerms[] = [
  TERMS,
  { ...TERMS, fee: ZERO },
  { ...TERMS, minReceive: new Decimal('107.00') },
  { ...TERMS, currency: 'JPY', amount: new Decimal(15_012), fee: new Decimal(75) },
  { ...TERMS, toCurrency: 'JPY' },
  { ...TERMS, amount: new Decimal('0.05'), fee: new Decimal('0.01') },
];

/** A fill in percent of the ordered amount. The bought amount has a rate of its own. */
const fill = fc.record({
  id: fc.constantFrom('f1', 'f2', 'f3'),
  sold: fc.constantFrom('0', '1', '33.33', '50', '100', '100', '130').map((percent) => new Decimal(percent)),
  bought: fc.constantFrom('0', '1.07', '108.41', '108.41', '33').map((percent) => new Decimal(percent)),
});

const fills = fc.uniqueArray(fill, { maxLength: 3, selector: ({ id }) => id });
const WHOLE = [{ id: 'f1', sold: new Decimal(100), bought: new Decimal('108.41') }];

/** Mostly valid words of an exchange, and some invalid ones. */
const words: fc.Arbitrary<ExchangeOrderWord> = fc
  .record({
    version,
    status: fc.constantFrom<ExchangeOrderWord['status']>('open', 'filled', 'filled', 'filled', 'failed'),
    failureCode: fc.constantFrom(undefined, 'market_closed'),
    fills: fc.oneof<fc.Arbitrary<ExchangeOrderWord['fills']>[]>(fills, fc.constant(WHOLE), fc.constant([])),
    isOdd: fc.constantFrom(true, false, false, false),
  })
  .map(({ version: its, isOdd, status, fills: given, failureCode }) => ({
    status,
    fills: status === 'failed' && !isOdd ? [] : given,
    ...(its === undefined ? {} : { version: its }),
    ...(failureCode === undefined ? {} : { failureCode }),
  }));

const orderedOf = ({ amount, fee }: ExchangeOrderTerms) => amount.minus(fee);

function addressed(word: ExchangeOrderWord, order: ExchangeOrder | undefined): ExchangeOrderWord {
  if (!order) return word;
  const { terms } = order.transfer;
  const of = (currency: string, percent: Decimal) =>
    percentOf({ amount: orderedOf(terms), currency }, percent);
  const told = word.fills.map(({ id, sold, bought }) => ({
    id,
    sold: of(terms.currency, sold),
    bought: of(terms.toCurrency, bought),
  }));
  return { ...word, fills: told };
}

/** The decision of an act: a release by a check of the settlement, or a cancellation by an operator. */
function decision(order: ExchangeOrder, act: Act, heard: ExchangeOrder): NewDecision | undefined {
  const { status, orderedAt } = order.transfer;
  if (act.kind === 'release') return release(order);
  if (act.kind === 'cancel')
    return status === 'created' && orderedAt === null
      ? { kind: 'cancel', data: { code: 'cancelled_by_operator' } }
      : undefined;
  return commonDecision(exchangeOrderKind, order, act, heard);
}

/** Releases a waiting order as a whole. For a failed order with bought money the release only records the payment. */
function release(order: ExchangeOrder): NewDecision | undefined {
  const { status, terms } = order.transfer;
  const { bought } = soldAndBought(order);
  const isNobodys = status === 'failed' && bought.gt(0);
  if ((status !== 'awaiting_settlement' && !isNobodys) || isPaid(order)) return undefined;
  const data = { bought: isNobodys ? '0' : bought.toFixed() };
  return { kind: 'release', amount: bought, currency: terms.toCurrency, data };
}

/** The released amount, or a later lower amount, by the order of the decisions. */
function paidFor({ decisions }: ExchangeOrder): Decimal {
  let paid = ZERO;
  for (const { kind, amount } of decisions) {
    if (kind === 'release') paid = amount ?? ZERO;
    if (kind === 'fallen' && amount?.lt(paid)) paid = amount;
  }
  return paid;
}

/** Whether the whole bought amount is paid. */
const isPaid = (order: ExchangeOrder): boolean => paidFor(order).gte(soldAndBought(order).bought);

const soldAndBought = ({ transfer: { word } }: Pick<ExchangeOrder, 'transfer'>) => ({
  sold: sumOf((word?.fills ?? []).map(({ sold: amount }) => ({ amount }))),
  bought: sumOf((word?.fills ?? []).map(({ bought: amount }) => ({ amount }))),
});

/** The consequence of a closed account: a cancellation before the order, and a stop of credits after it. */
const closed = (now: ExchangeOrder, before: ExchangeOrder): NewDecision | undefined =>
  now.transfer.status === 'created' && now.transfer.orderedAt === null
    ? { kind: 'cancel', data: { code: 'account_closed' } }
    : closingOf(before, givenTo(before, now));

function exchange(order: ExchangeOrder): Exchange {
  const { currency: from, toCurrency: to } = order.transfer.terms;
  const { sold, bought } = soldAndBought(order);
  const rate = sold.gt(0) ? bought.dividedBy(sold) : ZERO;
  return { from, to, rate, rounding: smallestOf(to).times(2) };
}

/** Checks that the client never pays more than agreed, and never pays without receiving. The price is the party's. */
function asAgreed(order: ExchangeOrder, books: readonly Holding[], impossible: boolean): void {
  const { terms, word, status } = order.transfer;
  const [held, sold, fee, bought] = ['held', 'sold', 'fee', 'bought'].map((name) => totalOf(books, name)) as [
    Decimal,
    Decimal,
    Decimal,
    Decimal,
  ];
  const isPlain = !hasResolutions(order) && !order.decisions.some(({ kind }) => kind === 'account_closed');
  assert.ok(held.plus(sold).plus(fee).lte(terms.amount), 'more than was agreed');
  if (isPlain) {
    assert.equal(sold.isZero(), bought.isZero(), 'something for nothing');
    assert.equal(totalOf(books, 'fees').toFixed(), fee.toFixed(), 'our fee is the client’s fee');
    if (held.gt(0)) assert.ok(sold.isZero(), 'held and taken at once');
    if (bought.gt(0)) assert.ok(isPaid(order), 'credited before it was paid');
    if (status === 'failed' && !impossible)
      assert.ok(held.plus(sold).plus(bought).isZero(), 'failed, with money taken');
    if (sold.eq(orderedOf(terms))) assert.equal(fee.toFixed(), terms.fee.toFixed());
    if (terms.minReceive && sold.gt(0))
      assert.ok(bought.gte(terms.minReceive) && sold.eq(orderedOf(terms)), 'less than the least');
  }
  if (impossible || word === null) return;
  assert.ok(paidFor(order).lte(soldAndBought(order).bought), 'paid for more than is bought');
  if (status === 'completed') assert.ok(isPaid(order), 'completed without payment');
  if (status === 'awaiting_settlement') assert.ok(!isPaid(order), 'waiting although paid');
  if (word.status === 'open') assert.ok(['executing', 'cancelled'].includes(status));
  if (word.status === 'failed') assert.ok(['failed', 'cancelled'].includes(status));
  if (status === 'completed' && isPlain) assert.ok(totalOf(books, 'fx').isZero() && sold.gt(0));
}

/** The proof covers both currencies of the exchange's account: the sold one and the bought one. */
export const exchangeOrderProof: KindProof<ExchangeOrderTerms, ExchangeOrderWord> = {
  kind: exchangeOrderKind,
  fresh: fc.constantFrom(...ALL).map((terms) =>
    begun<ExchangeOrderTerms, ExchangeOrderWord>({
      kind: 'exchange_order',
      status: 'created',
      terms,
    }),
  ),
  words,
  acts: actsOf(
    [
      ['release', 8],
      ['cancel', 1],
      [CLOSE, 2],
    ],
    ...['EUR', 'USD'],
  ),
  addressed: (word, { situation }) => addressed(word, situation),
  decision,
  closed,
  currencies: ['EUR', 'USD', 'JPY', 'GBP'],
  positionOfParty: ({ terms, word }, currency) => {
    const { sold, bought } = soldAndBought({ transfer: { word } as ExchangeOrder['transfer'] });
    if (currency === terms.currency) return sold.negated();
    return currency === terms.toCurrency ? bought : ZERO;
  },
  neverNegative: ['held', 'sold', 'fee', 'bought'],
  exchange,
  also: asAgreed,
};
