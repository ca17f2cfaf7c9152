import fc from 'fast-check';
import { Decimal, ZERO } from '../../../src/kernel/money/money';
import type { CheckoutWord } from '../../../src/parties/checkout/word';
import {
  DEPOSIT_COMPONENTS,
  type DepositTerms,
  depositPosition,
  measuresOfCheckout,
  partsOfCheckout,
} from '../../../src/transfers/deposits/money';
import {
  chooseForDeposit,
  DEPOSIT_TRANSITIONS,
  failureOfDeposit,
  triggerOfDeposit,
} from '../../../src/transfers/deposits/rules';
import { follow } from '../../../src/transfers/engine/follow';
import { balanced, type Holding, INTERNAL_COMPONENTS } from '../../../src/transfers/engine/position';
import type { Decision, Situation } from '../../../src/transfers/engine/record';

type Deposit = Situation<DepositTerms, CheckoutWord>;

const KIND = {
  name: 'deposit',
  transitions: DEPOSIT_TRANSITIONS,
  choose: chooseForDeposit,
  trigger: triggerOfDeposit,
  failure: failureOfDeposit,
  measures: measuresOfCheckout,
  parts: partsOfCheckout,
} as unknown as Parameters<typeof follow<DepositTerms, CheckoutWord>>[0];

const START = new Date('2026-11-21T12:00:00Z');
const MINUTE = 60_000;
const TERMS: DepositTerms = {
  method: 'card',
  externalId: null,
  currency: 'USD',
  accountCurrency: 'EUR',
  rate: new Decimal('0.9'),
  feeFixed: new Decimal('0.30'),
  feePercent: new Decimal('2.9'),
  chargedAmount: new Decimal(100),
  creditedAmount: new Decimal('87.12'),
  serviceFee: new Decimal('2.88'),
  expiresAt: new Date(START.getTime() + 30 * MINUTE),
};

const fresh = (): Deposit => ({
  transfer: {
    ...{ id: 'dep_1', kind: 'deposit', tenantId: 'cli_1', accountId: 'acc_1', status: 'awaiting_payment' },
    ...{ terms: TERMS, referenceId: 'ref_1', idempotencyKey: null, partyRef: 'cs_1', orderedAt: START },
    ...{ word: null, wordAt: null, doubted: null, doubtedAt: null, parts: [], failure: null, adopted: true },
    ...{ revision: 0, quiet: 0, lookAt: null, dueBy: null, reached: {}, createdAt: START, updatedAt: START },
  },
  decisions: [],
  at: START,
});

const amounts = fc
  .constantFrom(1, 33.33, 50, 99.99, 100, 100.01, 150, 250)
  .map((amount) => new Decimal(amount));
const money = { amount: amounts, currency: fc.constantFrom('USD', 'USD', 'USD', 'USD', 'GBP') };

/** Whatever a party could say: contradictory, withdrawn, stale. */
const words: fc.Arbitrary<CheckoutWord> = fc
  .record({
    version: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    page: fc.constantFrom(
      'open' as const,
      'failed' as const,
      'cancelled' as const,
      'expired' as const,
      'paid' as const,
    ),
    payments: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('p1', 'p1', 'p1', 'p2', 'p3'),
        amount: fc.oneof(
          { weight: 5, arbitrary: fc.constant(new Decimal(100)) },
          { weight: 1, arbitrary: amounts },
        ),
        currency: money.currency,
        status: fc.constantFrom(
          'pending' as const,
          'settled' as const,
          'settled' as const,
          'failed' as const,
        ),
      }),
      { maxLength: 3, selector: ({ id }) => id },
    ),
    risk: fc.constantFrom('normal' as const, 'normal' as const, 'normal' as const, 'review' as const),
    refunds: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('r1', 'r2', 'r3'),
        key: fc.constantFrom(undefined, undefined, 'dec_refund', 'dec_reject'),
        ...money,
        status: fc.constantFrom('pending' as const, 'succeeded' as const, 'failed' as const),
      }),
      { maxLength: 3, selector: ({ id, key }) => key ?? id },
    ),
    disputes: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('d1', 'd2'),
        ...money,
        status: fc.constantFrom('open' as const, 'won' as const, 'lost' as const),
      }),
      { maxLength: 2, selector: ({ id }) => id },
    ),
  })
  .map(({ version, ...word }) => (version === undefined ? word : { ...word, version }) as CheckoutWord);

const decision = (kind: string, amount: number | null, id = `dec_${kind}`): Decision => ({
  ...{ id, kind, currency: amount === null ? null : 'USD', accountId: null, data: {}, reason: null },
  ...{ amount: amount === null ? null : new Decimal(amount), decidedBy: 'operator', at: START },
});

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: words.map((word) => ({ word })) },
    { weight: 1, arbitrary: amounts.map((amount) => ({ decide: decision('approve', amount.toNumber()) })) },
    { weight: 1, arbitrary: fc.constant({ decide: decision('reject', 100) }) },
    { weight: 1, arbitrary: amounts.map((amount) => ({ decide: decision('refund', amount.toNumber()) })) },
    { weight: 1, arbitrary: amounts.map((amount) => ({ decide: decision('write_off', amount.toNumber()) })) },
    { weight: 1, arbitrary: fc.constant({ minutes: 2 }) },
    { weight: 1, arbitrary: fc.constant({ minutes: 40 }) },
  ),
  { minLength: 1, maxLength: 12 },
);

type Step = { word: CheckoutWord } | { decide: Decision } | { minutes: number };

function play(all: readonly Step[]): Deposit {
  let deposit = fresh();
  for (const step of all) {
    if ('minutes' in step)
      deposit = { ...deposit, at: new Date(deposit.at.getTime() + step.minutes * MINUTE) };
    if ('decide' in step && !deposit.decisions.some(({ id }) => id === step.decide.id))
      deposit = { ...deposit, decisions: [...deposit.decisions, step.decide] };
    deposit = follow(KIND, deposit, 'word' in step ? step.word : undefined).situation;
  }
  return deposit;
}

const table = { ...INTERNAL_COMPONENTS, ...DEPOSIT_COMPONENTS };
const total = (all: Decimal[]) => all.reduce((sum, amount) => sum.plus(amount), ZERO);
const of = (position: readonly Holding[], component: string, currency?: string) =>
  total(
    position
      .filter((each) => each.component === component && (currency ?? each.currency) === each.currency)
      .map(({ amount }) => amount),
  );

/** What the party itself would say that it owes us. */
function positionOfParty(word: CheckoutWord | null, currency: string): Decimal {
  const own = <T extends { currency: string; amount: Decimal }>(all: T[] = []) =>
    all.filter((each) => each.currency === currency);
  return total(
    own(word?.payments)
      .filter(({ status }) => status === 'settled')
      .map(({ amount }) => amount),
  )
    .minus(
      total(
        own(word?.refunds)
          .filter(({ status }) => status === 'succeeded')
          .map(({ amount }) => amount),
      ),
    )
    .minus(
      total(
        own(word?.disputes)
          .filter(({ status }) => status !== 'won')
          .map(({ amount }) => amount),
      ),
    );
}

const RUNS = Number(process.env['PROOF_RUNS'] ?? 5_000);

it('holds in the books what the party says, whatever it has said before and whoever has decided what', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const deposit = play(all);
      const position = balanced(depositPosition(deposit), table);
      for (const currency of ['USD', 'GBP'])
        expect(of(position, 'deposits', currency).negated().toFixed()).toBe(
          positionOfParty(deposit.transfer.word, currency).toFixed(),
        );
      const credited = of(position, 'credited');
      const taken = ['refunded', 'chargedBack', 'held'].map((component) => of(position, component));
      expect(total(taken).lte(credited)).toBe(true);
      for (const amount of [credited, ...taken]) expect(amount.gte(0)).toBe(true);
      if (
        ['created', 'awaiting_payment', 'expired', 'cancelled', 'failed', 'manual_review'].includes(
          deposit.transfer.status,
        )
      )
        expect(credited.toFixed()).toBe('0');
    }),
    { numRuns: RUNS },
  );
});

it('comes to rest: the same word again moves nothing', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const deposit = play(all);
      const again = follow(KIND, deposit, deposit.transfer.word ?? undefined);
      expect([again.chosen, again.path]).toEqual([[], []]);
    }),
    { numRuns: RUNS },
  );
});
