import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Decimal, sumOf, ZERO } from '../../../../../src/kernel/money/money';
import type { CheckoutWord } from '../../../../../src/parties/checkout/word';
import { depositKind } from '../../../../../src/transfers/deposits/kind';
import {
  type Deposit,
  type DepositTerms,
  inflowOf,
  netOf,
} from '../../../../../src/transfers/deposits/money';
import { approvalData } from '../../../../../src/transfers/deposits/rules';
import { inflowPosition, pledgedIn } from '../../../../../src/transfers/engine/books/inflow';
import type { Holding } from '../../../../../src/transfers/engine/books/position';
import { resolutionsOf } from '../../../../../src/transfers/engine/books/resolutions';
import type { NewDecision } from '../../../../../src/transfers/engine/kind';
import { leftOf } from '../../../../../src/transfers/suspense';
import { smallestOf, totalOf } from '../../books';
import { begun, START } from '../../look';
import { type Act, decidedByPeople, type KindProof } from '../kind-proof';
import { actsOf, commonDecision, partOf } from './people';

const MINUTE_MS = 60_000;

/** Terms of 100 dollars, for an account in the same currency, in another, and in one without a minor unit. */
const TERMS: NonNullable<DepositTerms>[] = [
  ['USD', '1', '96.80', '3.20'],
  ['EUR', '0.9', '87.12', '2.88'],
  ['JPY', '150.1234', '14533', '479'],
].map(([accountCurrency = '', rate = '', credited = '', fee = '']) => ({
  method: 'card' as const,
  externalId: null,
  currency: 'USD',
  accountCurrency,
  rate: new Decimal(rate),
  feeFixed: new Decimal('0.30'),
  feePercent: new Decimal('2.9'),
  chargedAmount: new Decimal(100),
  creditedAmount: new Decimal(credited),
  serviceFee: new Decimal(fee),
  expiresAt: new Date(START.getTime() + 30 * MINUTE_MS),
}));

/** @param terms null for a deposit without an owner */
const freshDeposit = (terms: DepositTerms, status: string): Deposit =>
  begun<DepositTerms, CheckoutWord>({
    id: 'dep_1',
    kind: 'deposit',
    status,
    terms,
    ...(status === 'created' ? { partyRef: null } : { partyRef: 'cs_1', orderedAt: START }),
    ...(terms ? {} : { tenantId: null, accountId: null }),
  });

const amounts = fc
  .constantFrom('0.3', '1', '33.33', '50', '99.99', '100', '100', '100', '100.01', '150', '250')
  .map((amount) => new Decimal(amount));
const currency = fc.constantFrom('USD', 'USD', 'USD', 'USD', 'USD', 'GBP');
/** Percentages with halves and thirds, whose last part must be the exact rest. */
const parts = fc
  .constantFrom('25', '33.33', '50', '50', '66.67', '75', '100', '100', '150', '0.3')
  .map((amount) => new Decimal(amount));
const money = { amount: parts, currency };
const idOf = ({ id }: { id: string }) => id;

const version = fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined, freq: 2 });

const payments = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('p1', 'p1', 'p1', 'p2', 'p3'),
    amount: fc.oneof(
      { weight: 5, arbitrary: fc.constant(new Decimal(100)) },
      { weight: 1, arbitrary: amounts },
    ),
    currency,
    status: fc.constantFrom('pending' as const, 'settled' as const, 'settled' as const, 'failed' as const),
  }),
  { maxLength: 3, selector: idOf },
);

const refunds = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('r1', 'r2', 'r3'),
    // No key, a key of ours (also the same for two refunds), and a foreign key.
    key: fc.constantFrom(undefined, undefined, 'dec_1', 'dec_1', 'dec_2', 'theirs'),
    ...money,
    status: fc.constantFrom(
      'pending' as const,
      'succeeded' as const,
      'succeeded' as const,
      'failed' as const,
    ),
  }),
  { maxLength: 3, selector: idOf },
);

const disputes = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('d1', 'd2', 'r1'),
    ...money,
    status: fc.constantFrom('open' as const, 'won' as const, 'lost' as const),
  }),
  { maxLength: 2, selector: idOf },
);

/** A payment that is settled as ordered. Most words begin with it, so that paths go beyond the credit. */
const asAsked = fc.record({
  version,
  page: fc.constant('paid' as const),
  payments: fc.constant([
    { id: 'p1', amount: new Decimal(100), currency: 'USD', status: 'settled' as const },
  ]),
  risk: fc.constant('normal' as const),
  refunds: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: refunds }),
  disputes: fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: disputes }),
});

const wild = fc.record({
  version,
  page: fc.constantFrom(
    'open' as const,
    'failed' as const,
    'cancelled' as const,
    'expired' as const,
    'paid' as const,
  ),
  payments,
  risk: fc.constantFrom('normal' as const, 'normal' as const, 'normal' as const, 'review' as const),
  refunds,
  disputes,
});

const checkoutWords: fc.Arbitrary<CheckoutWord> = fc
  .oneof({ weight: 3, arbitrary: asAsked }, { weight: 1, arbitrary: wild })
  .map(
    ({ version: its, ...word }) =>
      ({ key: 'dep_1', ...(its === undefined ? {} : { version: its }), ...word }) as CheckoutWord,
  );

const acts = actsOf(
  [
    ['approve', 6],
    ['reject', 2],
    ['refund', 5],
  ],
  ...['USD', 'USD', 'GBP'],
);

/** The decision of an operator's command. Refunds and doors may exceed the amounts that the commands allow. */
function decision(situation: Deposit, act: Act, heard: Deposit): NewDecision | undefined {
  const { kind, currency: of } = act;
  const [net] = netOf(situation);
  switch (kind) {
    case 'approve':
      return net && { kind, ...net, data: approvalData(situation) };
    case 'reject':
      return net?.amount.gt(0) ? { kind, ...net } : undefined;
    case 'refund':
      return { kind, amount: partOf(act, new Decimal(100)), currency: of };
    default:
      return commonDecision(depositKind, situation, act, heard);
  }
}

/** The settled payments, less refunds and less disputes that are not won. */
function positionOfCheckout(word: CheckoutWord | null, of: string): Decimal {
  const sum = (all: readonly { amount: Decimal; currency: string; status: string }[], ...counts: string[]) =>
    all
      .filter((each) => each.currency === of && counts.includes(each.status))
      .reduce((total, { amount }) => total.plus(amount), ZERO);
  if (!word) return ZERO;
  return sum(word.payments, 'settled')
    .minus(sum(word.refunds, 'succeeded'))
    .minus(sum(word.disputes, 'open', 'lost'));
}

const CREDITED = ['completed', 'refunded', 'chargeback'];

/** Checks that the client's money and our fee agree with the money that the payer has finally paid. */
function asPaid({ transfer, decisions }: Deposit, books: readonly Holding[]): void {
  const [credited, fees] = [totalOf(books, 'credited'), totalOf(books, 'fees')];
  const [taken, held] = [totalOf(books, 'refunded', 'chargedBack'), totalOf(books, 'held')];
  assert.ok(taken.plus(held).lte(credited), 'more is taken than was credited');
  assert.ok(fees.gte(0), 'the fee is negative');
  if (!CREDITED.includes(transfer.status)) assert.equal(credited.toFixed(), '0', transfer.status);
  const { word, terms } = transfer;
  const suspense = totalOf(
    books.filter(({ currency: its }) => its === terms?.currency),
    'suspense',
  );
  // Moves through doors, recoveries and promised returns change the suspense, so they are taken into account.
  const ours = <M extends { currency: string; amount: Decimal }>(all: readonly M[]) =>
    all.filter(({ currency: its }) => its === terms?.currency);
  const [letOut, recovered] = [1, -1].map((sign) =>
    sumOf(ours(resolutionsOf(decisions)).filter(({ amount }) => amount.s === sign)).abs(),
  ) as [Decimal, Decimal];
  const pledged = sumOf(ours(pledgedIn(inflowOf({ transfer, decisions, at: transfer.createdAt }))));
  const free = suspense.minus(recovered).minus(pledged);
  assert.ok(free.lte(0) || taken.isZero(), 'taken from the client while suspense has money');
  assertShort({ transfer, decisions, at: transfer.createdAt });
  const beyond = suspense.plus(letOut).minus(recovered);
  assert.ok(
    beyond.gte(0) || taken.plus(held).eq(credited),
    'suspense is negative while the client has money',
  );
  const left = positionOfCheckout(word, terms?.currency ?? '');
  const settled = positionOfCheckout(word && { ...word, refunds: [], disputes: [] }, terms?.currency ?? '');
  if (settled.isZero()) assert.equal(credited.toFixed(), '0', 'credited without a payment');
  if (left.isZero() && held.isZero())
    assert.deepEqual([credited.minus(taken), fees].map(String), ['0', '0'], 'all has gone back');
  const base = decisions.findLast(({ kind }) => kind === 'credit');
  if (base && left.gte(settled) && settled.gte(base.amount ?? 0) && held.isZero())
    assert.deepEqual(
      [credited.minus(taken), fees].map(String),
      [base.data['creditedAmount'], base.data['serviceFee']].map((amount) =>
        String(new Decimal(String(amount))),
      ),
      'all that was credited is there',
    );
}

/** Checks that suspense is short by at least the recoverable amount, whether the requested refunds succeed or fail. */
function assertShort(deposit: Deposit): void {
  const inflow = inflowOf(deposit);
  for (const [currency, left] of leftOf(depositKind, deposit)) {
    if (left.gte(0)) continue;
    const ends = [
      inflow.backs.filter(({ state }) => state === 'done'),
      inflow.backs.map((back) => ({ ...back, state: 'done' as const })),
    ];
    for (const backs of ends) {
      const books = inflowPosition({ ...inflow, backs }).filter(({ currency: its }) => its === currency);
      assert.ok(totalOf(books, 'suspense').lte(left), 'more may be recovered than suspense is short');
    }
  }
}

export const depositProof: KindProof<DepositTerms, CheckoutWord> = {
  kind: depositKind,
  fresh: fc.constantFrom(
    ...TERMS.map((terms) => freshDeposit(terms, 'awaiting_payment')),
    freshDeposit(TERMS[0] ?? null, 'created'),
    freshDeposit(null, 'manual_review'),
  ),
  words: checkoutWords,
  acts,
  addressed: (word, { situation }) => ({
    ...word,
    key: situation?.transfer.id ?? null,
    refunds: word.refunds.map(({ key, ...refund }) => {
      const orders = situation ? decidedByPeople(situation) : [];
      const own = key?.startsWith('dec_') ? orders[Number(key.slice(4)) - 1] : key;
      return own === undefined ? refund : { ...refund, key: own };
    }),
  }),
  decision,
  currencies: ['USD', 'GBP', 'EUR', 'JPY'],
  positionOfParty: ({ word }, of) => positionOfCheckout(word, of),
  neverNegative: ['credited', 'held', 'refunded', 'chargedBack'],
  exchange: ({ transfer: { terms } }) =>
    terms && terms.accountCurrency !== terms.currency
      ? {
          from: terms.currency,
          to: terms.accountCurrency,
          rate: terms.rate,
          rounding: smallestOf(terms.accountCurrency).times(2),
        }
      : null,
  also: asPaid,
};
