import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Decimal, sumOf, ZERO } from '../../../../../src/kernel/money/money';
import type { OutgoingWord } from '../../../../../src/parties/protocol/outgoing-word';
import type { Holding } from '../../../../../src/transfers/engine/books/position';
import type { NewDecision } from '../../../../../src/transfers/engine/kind';
import { exchangeWithdrawalKind } from '../../../../../src/transfers/exchange/withdrawals/kind';
import { ibanPayoutKind } from '../../../../../src/transfers/iban/payouts/kind';
import { payoutKind } from '../../../../../src/transfers/payouts/kind';
import type { OutgoingKind } from '../../../../../src/transfers/payouts/outgoing';
import { closingOf } from '../../../../../src/transfers/payouts/position';
import type { Outgoing, OutgoingTerms, PayoutTerms } from '../../../../../src/transfers/payouts/record';
import { SCREENING_CLEARED, SCREENING_REFUSED } from '../../../../../src/transfers/screening/record';
import { assertSuspense, type Exchange, hasResolutions, negated, smallestOf, totalOf } from '../../books';
import { begun, START } from '../../look';
import { type Act, CLEAR, CLOSE, type KindProof, REFUSE } from '../kind-proof';
import { percentOf, version } from './amounts';
import { actsOf, commonDecision } from './people';

const TERMS: PayoutTerms = {
  method: 'sepa',
  currency: 'EUR',
  receivedCurrency: 'EUR',
  needsApproval: false,
  amount: new Decimal(100),
  fee: new Decimal('0.35'),
  receivedAmount: new Decimal(100),
  rate: new Decimal(1),
};

/** The rest of a new destination ends within a proof. */
const REST_MS = 90_000;

const IN_EUROS: readonly PayoutTerms[] = [
  ...[TERMS, { ...TERMS, needsApproval: true }, { ...TERMS, fee: ZERO }],
  { ...TERMS, amount: new Decimal('0.05'), receivedAmount: new Decimal('0.05') },
  { ...TERMS, rest: { until: new Date(START.getTime() + REST_MS).toISOString(), destination: '00' } },
];

const EXCHANGED: readonly PayoutTerms[] = [
  ['EUR', '100', 'USD', '1.07892', '107.89'],
  ['USD', '100', 'JPY', '150.1234', '15012'],
  ['JPY', '15012', 'EUR', '0.00611234', '91.75'],
  ['USD', '100', 'USDT', '0.9991234', '99.91234'],
].map(([currency = '', amount = '', receivedCurrency = '', rate = '', receivedAmount = '']) => ({
  ...TERMS,
  method: 'swift' as const,
  currency,
  receivedCurrency,
  amount: new Decimal(amount),
  fee: new Decimal(15),
  receivedAmount: new Decimal(receivedAmount),
  rate: new Decimal(rate),
}));

/** Amounts in percent of the order. */
const amounts = fc
  .constantFrom('0', '1', '33.33', '50', '99.99', '100', '100', '100.01', '130')
  .map((percent) => new Decimal(percent));

const returns = fc.uniqueArray(fc.record({ id: fc.constantFrom('r1', 'r2', 'r3'), amount: amounts }), {
  maxLength: 3,
  selector: ({ id }) => id,
});

/** Mostly valid words with the amounts of their status, and some invalid ones. */
const words: fc.Arbitrary<OutgoingWord> = fc
  .record({
    version,
    status: fc.constantFrom<OutgoingWord['status']>('processing', 'sent', 'completed', 'failed', 'returned'),
    failureCode: fc.constantFrom(undefined, 'account_closed'),
    sent: fc.option(amounts, { nil: null, freq: 3 }),
    returns,
  })
  .map(({ version: its, status, sent, returns: backs, ...rest }) => ({
    ...rest,
    ...(its === undefined ? {} : { version: its }),
    status,
    sent: sent ?? new Decimal(status === 'processing' || status === 'failed' ? 0 : 100),
    returns: status === 'returned' ? backs : backs.slice(2),
  }));

/** The act that disables the destination, which cancels a withdrawal before its order. */
const DISABLE = 'disable';

const isDisabledInTime = ({ transfer: { status, orderedAt, word } }: Outgoing): boolean =>
  ['created', 'pending_approval', 'processing'].includes(status) && orderedAt === null && word === null;

/** The decision of an act on the screening of the destination, which counts before the order alone. */
function screeningDecision({ transfer, decisions }: Outgoing, kind: string): NewDecision | undefined {
  const { id, status, orderedAt, word } = transfer;
  const isCleared = decisions.some((each) => each.kind === SCREENING_CLEARED);
  if (status !== 'processing' || orderedAt !== null || word !== null || isCleared) return undefined;
  return kind === CLEAR
    ? { kind: SCREENING_CLEARED }
    : { kind: 'refused', data: { key: id, code: SCREENING_REFUSED } };
}

/** The decision of an act. Approvals are possible only while the payout waits for one. */
const decisionOn =
  <Terms extends OutgoingTerms>(proved: OutgoingKind<Terms>) =>
  (payout: Outgoing<Terms>, act: Act, heard: Outgoing<Terms>): NewDecision | undefined => {
    const { kind } = act;
    if (kind === DISABLE) return isDisabledInTime(payout) ? { kind: 'cancel', reason: 'a test' } : undefined;
    if (kind === CLEAR || kind === REFUSE) return screeningDecision(payout, kind);
    if (kind !== 'approve' && kind !== 'reject') return commonDecision(proved, payout, act, heard);
    return payout.transfer.status === 'pending_approval' ? { kind } : undefined;
  };

/** The consequence of a closed account: a cancellation before the order, and no credit of returns after it. */
const closed = (now: Outgoing, before: Outgoing): NewDecision | undefined =>
  ['created', 'processing'].includes(now.transfer.status) && now.transfer.orderedAt === null
    ? { kind: 'cancel', reason: 'account_closed' }
    : closingOf(before, now);

function exchange({ transfer: { terms } }: Outgoing<OutgoingTerms & { rate?: Decimal }>): Exchange | null {
  const { currency: from, receivedCurrency: to, rate } = terms;
  if (from === to || rate === undefined) return null;
  return { from, to, rate, rounding: smallestOf(from).times(rate).plus(smallestOf(to)).times(2) };
}

/** Checks that the client pays no more than agreed, and that the status agrees with the party's word. */
function asAgreed({ transfer, decisions }: Outgoing, books: readonly Holding[], impossible: boolean): void {
  const { terms, word, status } = transfer;
  const [held, paid, fee, returned] = ['held', 'paid', 'fee', 'returned'].map((name) =>
    totalOf(books, name),
  ) as [Decimal, Decimal, Decimal, Decimal];
  assert.ok(returned.lte(paid), 'more has come back than was paid');
  assert.ok(held.plus(paid).plus(fee).lte(terms.amount.plus(terms.fee)), 'more than was agreed');
  const isSent = word?.sent.gt(0) && ['sent', 'completed', 'returned'].includes(word.status);
  assert.equal(totalOf(books, 'fees').toFixed(), (isSent ? terms.fee : ZERO).toFixed(), 'the fee is due');
  if (['rejected', 'cancelled'].includes(status) && word === null)
    assert.deepEqual(books, [], 'cancelled, but the books are not empty');
  if (!hasResolutions({ decisions }) && !decisions.some(({ kind }) => kind === 'account_closed')) {
    const { receivedCurrency: currency, receivedAmount: agreed } = terms;
    const net = word ? word.sent.minus(sumOf(word.returns)) : ZERO;
    // An excess payment is our claim. An excess return has no owner.
    assertSuspense(negated(books), { currency, net, agreed });
  }
  if (word === null || impossible) return;
  const as = word.status === 'failed' ? ['failed', 'returned'] : [word.status];
  assert.ok(
    [...as, 'rejected', 'cancelled'].includes(status),
    `${status} although the party says ${word.status}`,
  );
}

const proofOf = <Terms extends OutgoingTerms>(
  kind: OutgoingKind<Terms>,
  terms: readonly Terms[],
  acts: readonly [string, number][] = [],
  { isClosable = true } = {},
): KindProof<Terms, OutgoingWord> => ({
  kind,
  fresh: fc
    .constantFrom(...terms)
    .map((each) => begun<Terms, OutgoingWord>({ kind: kind.name, status: 'created', terms: each })),
  words,
  acts: actsOf(
    [['approve', 4], ['reject', 1], ...acts, ...(isClosable ? [[CLOSE, 3] as [string, number]] : [])],
    ...['EUR', 'USD'],
  ),
  addressed: (word, { situation }) => {
    if (!situation) return word;
    const { receivedAmount: amount, receivedCurrency: currency } = situation.transfer.terms;
    const of = (percent: Decimal) => percentOf({ amount, currency }, percent);
    return {
      ...word,
      sent: of(word.sent),
      returns: word.returns.map((back) => ({ ...back, amount: of(back.amount) })),
    };
  },
  decision: decisionOn(kind),
  // A payout from a virtual IBAN goes on when the IBAN is disabled.
  ...(isClosable ? { closed } : { never: ['cancelled'] }),
  currencies: ['EUR', 'USD', 'JPY', 'USDT', 'GBP'],
  // The returns less the sent amount.
  positionOfParty: ({ terms, word }, currency) =>
    word && terms.receivedCurrency === currency ? sumOf(word.returns).minus(word.sent) : ZERO,
  neverNegative: ['held', 'paid', 'fee', 'returned'],
  exchange,
  also: asAgreed,
});

export const payoutProof = proofOf(
  payoutKind,
  [...IN_EUROS, ...EXCHANGED],
  [
    [CLEAR, 3],
    [REFUSE, 1],
  ],
);
export const ibanPayoutProof = proofOf(ibanPayoutKind, IN_EUROS, [], { isClosable: false });
export const exchangeWithdrawalProof = proofOf(
  exchangeWithdrawalKind,
  IN_EUROS.map((terms) => ({ ...terms, destinationId: 'wdd_1' })),
  [[DISABLE, 2]],
);
