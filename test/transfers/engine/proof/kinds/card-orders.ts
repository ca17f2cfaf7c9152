import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ACCOUNT_EFFECTS, HOLD_EFFECTS } from '../../../../../src/kernel/ledger/effects';
import { Decimal, sumOf, ZERO } from '../../../../../src/kernel/money/money';
import type { CardOrderWord } from '../../../../../src/parties/external-cards/word';
import { componentsOf, type Holding } from '../../../../../src/transfers/engine/books/position';
import type { NewDecision, TransferKind } from '../../../../../src/transfers/engine/kind';
import type { Decision } from '../../../../../src/transfers/engine/record';
import { cardTopupKind, cardWithdrawalKind } from '../../../../../src/transfers/external-cards/kind';
import type { CardTerms, CardTransfer } from '../../../../../src/transfers/external-cards/order-rules';
import { assertSuspense, hasResolutions, negated, totalOf } from '../../books';
import { begun, START } from '../../look';
import { type Act, CLOSE, type KindProof } from '../kind-proof';
import { orNone, percentOf, version } from './amounts';
import { actsOf, commonDecision } from './people';

const TERMS: readonly CardTerms[] = [
  ['USD', '100', '1.80'],
  ['USD', '100', '0'],
  ['EUR', '0.05', '0.03'],
  ['JPY', '15012', '271'],
].map(([currency = '', amount = '', fee = '']) => ({
  currency,
  amount: new Decimal(amount),
  fee: new Decimal(fee),
  actionExpiresAt: new Date(START.getTime() + 30 * 60_000),
  needsApproval: false,
}));

const percents = (...all: string[]) => fc.constantFrom(...all).map((percent) => new Decimal(percent));

const returns = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('r1', 'r2', 'r3'),
    amount: percents('0.01', '25', '33.33', '60', '100', '250'),
  }),
  { maxLength: 3, selector: ({ id }) => id },
);

/** All words that an acquirer could say. */
const words: fc.Arbitrary<CardOrderWord> = fc
  .record({
    version,
    status: fc.constantFrom('requires_action', 'processing', 'succeeded', 'succeeded', 'failed'),
    failureCode: fc.constantFrom(undefined, 'card_declined'),
    moved: percents('0', '0', '40', '99.99', '100', '100', '100', '100', '100.01', '150'),
    returns: orNone(returns),
  })
  .map(({ version: its, ...word }) => ({ ...word, ...(its === undefined ? {} : { version: its }) }));

type CardKind = TransferKind<CardTerms, CardOrderWord>;

interface Own {
  terms: readonly CardTerms[];
  /** Operators' decisions, each with its weight. */
  decisions: readonly [string, number][];
  /** 1 if moved money is ours at the acquirer, −1 if it has left us. */
  sign: 1 | -1;
  neverNegative: readonly string[];
  also(situation: CardTransfer, books: readonly Holding[], impossible: boolean): void;
}

/** The decision of an act. Approvals are possible only while the transfer waits for one. */
const decisionOn =
  (kind: CardKind) =>
  (situation: CardTransfer, act: Act, heard: CardTransfer): NewDecision | undefined => {
    if (act.kind !== 'approve' && act.kind !== 'reject') return commonDecision(kind, situation, act, heard);
    return situation.transfer.status === 'pending_approval' ? { kind: act.kind } : undefined;
  };

const proofOf = (
  kind: CardKind,
  { terms: all, decisions, ...own }: Own,
): KindProof<CardTerms, CardOrderWord> => ({
  kind,
  fresh: fc.constantFrom(...all).map((terms) => {
    const status = terms.needsApproval ? 'pending_approval' : 'pending';
    return begun<CardTerms, CardOrderWord>({ kind: kind.name, status, terms });
  }),
  words,
  acts: actsOf([[CLOSE, 1], ...decisions], 'USD', 'USD', 'EUR', 'JPY'),
  addressed: (word, { situation }) => {
    if (!situation) return word;
    const of = (percent: Decimal) => percentOf(situation.transfer.terms, percent);
    return {
      ...word,
      moved: of(word.moved),
      returns: word.returns.map((back) => ({ ...back, amount: of(back.amount) })),
    };
  },
  decision: decisionOn(kind),
  // A closed account stops a transfer only before the order.
  closed: ({ transfer: { status, orderedAt } }) =>
    status === 'pending' && orderedAt === null ? { kind: 'stop', reason: 'account_closed' } : undefined,
  currencies: ['USD', 'EUR', 'JPY'],
  positionOfParty: ({ terms, word }, currency) =>
    word && terms.currency === currency ? word.moved.minus(sumOf(word.returns)).times(own.sign) : ZERO,
  exchange: () => null,
  ...own,
});

const amountsOf = (books: readonly Holding[], ...components: string[]): string[] =>
  components.map((component) => totalOf(books, component).toFixed());

/**
 * Checks that a closed account gets no more of the transfer than it had at its closure.
 * @returns false if no account was closed
 */
function assertShut(kind: CardKind, decisions: readonly Decision[], books: readonly Holding[]): boolean {
  const shut = decisions.filter((decision) => decision.kind === 'account_shut');
  for (const { accountId, data } of shut) {
    const { kept } = data as { kept: { component: string; amount: string }[] };
    const given = (holdings: readonly { component: string; amount: Decimal }[]) =>
      holdings.reduce((sum, holding) => sum.plus(givenBy(kind, holding)), ZERO);
    const had = given(kept.map(({ component, amount }) => ({ component, amount: new Decimal(amount) })));
    const has = given(books.filter(({ account }) => account === accountId));
    assert.ok(has.lte(had), `the closed account has ${has.toFixed()}, and had ${had.toFixed()}`);
  }
  return shut.length > 0;
}

/** The amount that a component adds to the available balance of a client; zero for a component of ours. */
function givenBy(kind: CardKind, { component, amount }: { component: string; amount: Decimal }): Decimal {
  const rule = componentsOf(kind)[component];
  if (rule?.on === 'hold') return amount.times(HOLD_EFFECTS[rule.up].available);
  return rule?.on === 'client' ? amount.times(ACCOUNT_EFFECTS[rule.up].available) : ZERO;
}

/** Checks that the owner's money agrees with the status. */
function asCredited(
  { transfer, decisions }: CardTransfer,
  books: readonly Holding[],
  impossible: boolean,
): void {
  const [credited, back] = [totalOf(books, 'credited'), totalOf(books, 'chargedBack')];
  assert.ok(back.lte(credited), 'more is taken than was credited');
  const fees = totalOf(books, 'fees');
  assert.ok(fees.gte(0), 'we pay for it');
  if (assertShut(cardTopupKind, decisions, books)) return;
  const { terms, status } = transfer;
  const whole = terms.amount.minus(terms.fee);
  const { word } = transfer;
  const net = word ? word.moved.minus(sumOf(word.returns)) : ZERO;
  const isCredited = decisions.some(({ kind }) => kind === 'credit');
  const agreed = isCredited ? terms.amount : ZERO;
  if (!hasResolutions({ decisions })) assertSuspense(books, { currency: terms.currency, net, agreed });
  if (isCredited && net.lte(0))
    assert.deepEqual([credited.minus(back), fees].map(String), ['0', '0'], 'all is gone');
  if (isCredited && net.gte(terms.amount))
    assert.deepEqual(
      [credited.minus(back), fees].map(String),
      [whole, terms.fee].map(String),
      'all is there',
    );
  if (impossible) return;
  const left = credited.minus(back).plus(fees);
  if (status === 'returned') assert.ok(left.lt(terms.amount), 'all of it is there');
  else {
    const expected = status === 'completed' ? whole : ZERO;
    assert.deepEqual(amountsOf(books, 'credited', 'chargedBack'), [expected.toFixed(), '0'], status);
  }
}

function asDebited(
  { transfer, decisions }: CardTransfer,
  books: readonly Holding[],
  impossible: boolean,
): void {
  const [paid, back] = [totalOf(books, 'paid'), totalOf(books, 'returned')];
  assert.ok(back.lte(paid), 'more has come back than was paid');
  const { terms, status, word } = transfer;
  const due = word?.moved.gt(0) ? terms.fee : ZERO;
  assert.equal(totalOf(books, 'fees').toFixed(), due.toFixed(), 'the fee is due');
  const net = word ? word.moved.minus(sumOf(word.returns)) : ZERO;
  if (assertShut(cardWithdrawalKind, decisions, books)) return;
  if (!hasResolutions({ decisions }))
    assertSuspense(negated(books), { currency: terms.currency, net, agreed: terms.amount });
  if (impossible) return;
  const [amount, held] = [terms.amount, terms.amount.plus(terms.fee)].map((each) => each.toFixed());
  const expected: Record<string, (string | undefined)[]> = {
    pending_approval: ['0', '0', held],
    pending: ['0', '0', held],
    requires_action: ['0', '0', held],
    processing: [amount, '0', '0'],
    completed: [amount, '0', '0'],
    failed: ['0', '0', '0'],
  };
  if (status === 'returned') assert.ok(paid.isZero() || back.gt(0), 'nothing of it has come back');
  else assert.deepEqual(amountsOf(books, 'paid', 'returned', 'held'), expected[status], status);
}

export const cardTopupProof = proofOf(cardTopupKind, {
  terms: TERMS,
  decisions: [],
  sign: 1,
  neverNegative: ['credited', 'chargedBack'],
  also: asCredited,
});

export const cardWithdrawalProof = proofOf(cardWithdrawalKind, {
  terms: [...TERMS, ...TERMS.map((terms) => ({ ...terms, needsApproval: true }))],
  decisions: [
    ['approve', 4],
    ['reject', 1],
  ],
  sign: -1,
  also: asDebited,
  neverNegative: ['held', 'paid', 'fee', 'returned'],
});
