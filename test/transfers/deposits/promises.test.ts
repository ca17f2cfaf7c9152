/** @long proves random promises. */
import fc from 'fast-check';
import { Problem } from '../../../src/kernel/errors';
import { Decimal, roundTo, sumOf, ZERO } from '../../../src/kernel/money/money';
import type { CheckoutWord } from '../../../src/parties/checkout/word';
import { approval, rejections } from '../../../src/transfers/deposits/decide';
import { depositKind } from '../../../src/transfers/deposits/kind';
import type { Deposit, DepositTerms } from '../../../src/transfers/deposits/money';
import { decisionOf } from '../../../src/transfers/engine/books/resolutions';
import { decisionBy, follow, withReport } from '../../../src/transfers/engine/follow';
import type { NewDecision } from '../../../src/transfers/engine/kind';
import { leftOf } from '../../../src/transfers/suspense';

/**
 * Operators cannot give the same money twice. No decision that the commands allow, and no credit that follows, takes
 * suspense below zero.
 */

const NOW = new Date('2026-11-21T12:00:00Z');
const TERMS: DepositTerms = {
  method: 'card',
  externalId: null,
  currency: 'USD',
  accountCurrency: 'USD',
  rate: new Decimal(1),
  feeFixed: new Decimal('0.30'),
  feePercent: new Decimal('2.9'),
  chargedAmount: new Decimal(100),
  creditedAmount: new Decimal('96.80'),
  serviceFee: new Decimal('3.20'),
  expiresAt: NOW,
};
const fresh = (status: string): Deposit => ({
  transfer: {
    id: 'dep_1',
    kind: 'deposit',
    tenantId: 'cli_1',
    accountId: 'acc_1',
    status,
    terms: TERMS,
    referenceId: 'ref_1',
    idempotencyKey: null,
    partyRef: 'cs_1',
    orderedAt: NOW,
    word: null,
    wordAt: null,
    doubted: null,
    doubtedAt: null,
    parts: [],
    failure: null,
    revision: 0,
    quiet: 0,
    lookAt: null,
    dueBy: null,
    reached: {},
    createdAt: NOW,
    updatedAt: NOW,
  },
  decisions: [],
  at: NOW,
});

type Payments = CheckoutWord['payments'];
const paid = (id: string, amount: number, status: Payments[number]['status']) => ({
  id,
  amount: new Decimal(amount),
  currency: 'USD',
  status,
});
const statuses = fc.constantFrom('pending' as const, 'settled' as const, 'settled' as const);

/** A payment in two parts, or random payments. */
const words = fc
  .oneof(
    fc.tuple(statuses, statuses).map(([one, other]) => [paid('p1', 40, one), paid('p2', 60, other)]),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom('p1', 'p2'), fc.constantFrom(40, 60, 100, 100), statuses), {
        minLength: 1,
        maxLength: 2,
        selector: ([id]) => id,
      })
      .map((all) => all.map((each) => paid(...each))),
  )
  .map(
    (payments: Payments): CheckoutWord => ({
      key: 'dep_1',
      page: 'paid',
      payments,
      risk: 'normal',
      refunds: [],
      disputes: [],
    }),
  );
const acts = fc.record({
  act: fc.constantFrom('approve', 'reject', 'credit', 'write_off', 'return'),
  share: fc.constantFrom(1, 0.5),
});

const inSuspense = (deposit: Deposit): Decimal =>
  sumOf(depositKind.position(deposit).filter(({ component }) => component === 'suspense'));

/** The decisions of a command, or none if it refuses. */
function judged(deposit: Deposit, { act, share }: { act: string; share: number }): NewDecision[] {
  try {
    if (deposit.transfer.status === 'manual_review' && act === 'approve') return approval(deposit);
    if (deposit.transfer.status === 'manual_review' && act === 'reject') return rejections(deposit);
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
  if (act === 'approve' || act === 'reject') return [];
  const left = leftOf(depositKind, deposit).get('USD') ?? ZERO;
  const amount = roundTo(left.times(share), 'USD');
  return amount.gt(0)
    ? [
        {
          kind: decisionOf(act as 'credit'),
          amount,
          currency: 'USD',
          accountId: act === 'credit' ? 'acc_2' : null,
        },
      ]
    : [];
}

it('no decision takes suspense below zero on 3000 random paths', () => {
  let [decided, credited] = [0, 0];
  const steps = fc.array(
    fc.oneof(
      words.map((word) => ({ word })),
      acts,
    ),
    { minLength: 2, maxLength: 10 },
  );
  fc.assert(
    fc.property(fc.constantFrom('awaiting_payment', 'expired'), steps, (status, path) => {
      let deposit = fresh(status);
      for (const step of path) {
        const before = inSuspense(deposit);
        const made = 'word' in step ? [] : judged(deposit, step);
        const known = {
          ...deposit,
          decisions: [...deposit.decisions, ...made.map((given) => decisionBy('operator', given, NOW))],
        };
        const { situation, chosen } = follow(
          depositKind,
          'word' in step ? withReport(depositKind, known, step.word) : known,
        );
        const credits = chosen.some(({ kind }) => kind === 'credit');
        if (made.length > 0 || credits)
          expect(inSuspense(situation).gte(Decimal.min(ZERO, before))).toBe(true);
        decided += made.length;
        credited += credits ? 1 : 0;
        deposit = situation;
      }
    }),
    { numRuns: 3_000 },
  );
  expect([decided > 1_000, credited > 500]).toEqual([true, true]);
});
