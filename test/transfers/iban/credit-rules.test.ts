import fc from 'fast-check';
import { Decimal, ZERO } from '../../../src/kernel/money/money';
import type { BankCreditWord } from '../../../src/parties/bank/word';
import { canonical, follow } from '../../../src/transfers/engine/follow';
import type { TransferKind } from '../../../src/transfers/engine/kind';
import type { Decision } from '../../../src/transfers/engine/record';
import {
  backsOf,
  IBAN_CREDIT_COMPONENTS,
  IBAN_CREDIT_STATUSES,
  IBAN_CREDIT_TRANSITIONS,
  type IbanCredit,
  type IbanCreditTerms,
  ibanCreditPosition,
  isAmount,
  isOpen,
  measuresOf,
  noticesOf,
  ordersOf,
  partsOf,
  triggerOf,
} from '../../../src/transfers/iban/credits/rules';
import { begun, bookedOn, play, RUNS, type Rules, START, type Step, shownPosition } from '../engine/played';

const RULES: Rules<IbanCreditTerms, BankCreditWord> = {
  name: 'iban_credit',
  transitions: IBAN_CREDIT_TRANSITIONS,
  components: IBAN_CREDIT_COMPONENTS,
  choose: () => undefined,
  trigger: triggerOf,
  failure: () => null,
  measures: measuresOf,
  parts: partsOf,
  position: ibanCreditPosition,
};

const IBAN = 'LT529999900000000001';
const TERMS: IbanCreditTerms = { iban: IBAN, amount: new Decimal(100), currency: 'EUR' };
const OWNERS = ['vib_1', null] as const;

const fresh = (accountId: string | null = 'vib_1'): IbanCredit =>
  begun({ status: 'received', terms: TERMS, accountId, tenantId: accountId && 'cli_1', partyRef: 'bank-1' });

const parts = (name: string, amounts: readonly number[]) =>
  amounts.map((amount, n) => ({ id: `${name}${n + 1}`, amount: new Decimal(amount) }));
const word = (recalls: number[] = [], given: Partial<BankCreditWord> = {}): BankCreditWord => ({
  ...{ id: 'bank-1', iban: IBAN, amount: new Decimal(100), currency: 'EUR', returns: [] },
  recalls: parts('c', recalls),
  ...given,
});
const inTurn = (...words: BankCreditWord[]) =>
  words.map((each, n) => ({ word: { ...each, version: n + 1 } }));

const decision = (kind: string, amount: number, id = `dec_${kind}`): Decision => ({
  ...{ id, kind, currency: 'EUR', accountId: 'acc_2', data: {}, reason: null },
  ...{ amount: new Decimal(amount), decidedBy: 'operator', at: START },
});

const gone = (status: 'pending' | 'succeeded' | 'failed', amount = 100, key?: string) => ({
  returns: [{ id: 'b1', amount: new Decimal(amount), status, ...(key === undefined ? {} : { key }) }],
});

describe('a payment that the bank has received', () => {
  it.each<[string, string | null, BankCreditWord[], string, Record<string, number>]>([
    ['is credited', 'vib_1', [word()], 'credited', { deposits: -100, credited: 100 }],
    ['is nobody’s', null, [word()], 'suspended', { deposits: -100, suspense: 100 }],
    [
      'is recalled',
      'vib_1',
      [word(), word([100])],
      'recalled',
      { credited: 100, 'chargedBack part_c1': 100 },
    ],
    [
      'is recalled in parts',
      'vib_1',
      [word(), word([40, 10])],
      'credited',
      { deposits: -50, credited: 100, 'chargedBack part_c1': 40, 'chargedBack part_c2': 10 },
    ],
    [
      'is recalled, and a part of that withdrawn',
      'vib_1',
      [word(), word([60, 40]), word([60])],
      'credited',
      { deposits: -40, credited: 100, 'chargedBack part_c1': 60 },
    ],
    [
      'is recalled before anybody looked',
      'vib_1',
      [word([100])],
      'recalled',
      { credited: 100, 'chargedBack part_c1': 100 },
    ],
    ['of nobody’s is recalled', null, [word(), word([100])], 'recalled', {}],
    ['is given back by the bank', null, [word(), word([], gone('succeeded'))], 'returned', {}],
    [
      'is not given back after all',
      null,
      [word([], gone('succeeded')), word([], gone('failed'))],
      'suspended',
      { deposits: -100, suspense: 100 },
    ],
    [
      'is less than it was',
      'vib_1',
      [word(), word([], { amount: new Decimal(70) })],
      'credited',
      { deposits: -70, credited: 70 },
    ],
    [
      'is more than it was',
      'vib_1',
      [word(), word([], { amount: new Decimal(170) })],
      'credited',
      { deposits: -170, credited: 100, suspense: 70 },
    ],
    ['is nothing after all', 'vib_1', [word(), word([], { amount: ZERO })], 'recalled', {}],
    [
      'is of another currency',
      'vib_1',
      [word(), word([], { currency: 'USD' })],
      'credited',
      { deposits: -100, suspense: 100 },
    ],
    [
      'is recalled for more than it was',
      'vib_1',
      [word(), word([150])],
      'recalled',
      { deposits: 50, suspense: -50, credited: 100, 'chargedBack part_c1': 100 },
    ],
  ])('%s', (_, accountId, words, status, expected) => {
    const { situation, position, last } = play(RULES, fresh(accountId), inTurn(...words));
    expect([situation.transfer.status, last.impossible]).toEqual([status, null]);
    const names = new Map(
      situation.transfer.parts.map(({ id, name }) => [id, name.replace(/^\w+ /, 'part_')]),
    );
    const named = position.map((each) => ({
      ...each,
      part: each.part && (names.get(each.part) ?? each.part),
    }));
    expect(shownPosition(named)).toEqual(expected);
  });

  it('is a break when the bank tells of it otherwise', () => {
    const told = (given: Partial<BankCreditWord>) =>
      noticesOf(play(RULES, fresh(), inTurn(word(), word([], given))).counts);
    expect(told({ iban: 'lt52 9999 9000 0000 0001' })).toEqual([]);
    for (const given of [{ iban: 'LT239999900000000002' }, { amount: new Decimal(1) }, { currency: 'USD' }])
      expect(told(given)).toMatchObject([{ kind: 'iban_credit_changed' }]);
  });

  it('is returned to its payer by a decision, under its key, and waits for the bank until it is done', () => {
    const key = 'dec_return';
    const asked = play(RULES, fresh(null), [
      ...inTurn(word()),
      { decide: decision('suspense_return', 100, 'dec_return') },
    ]);
    expect(ordersOf(asked.situation)).toEqual([{ key, what: 'refund' }]);
    expect([isOpen(asked.situation), bookedOn(asked.position, 'suspense').toNumber()]).toEqual([true, 100]);
    const pending = play(RULES, asked.situation, [
      { word: word([], { ...gone('pending', 100, key), version: 2 }) },
    ]);
    expect([ordersOf(pending.situation), isOpen(pending.situation)]).toEqual([[], true]);
    const done = play(RULES, pending.situation, [
      { word: word([], { ...gone('succeeded', 100, key), version: 3 }) },
    ]);
    expect([done.situation.transfer.status, isOpen(done.situation), done.position]).toEqual([
      'returned',
      false,
      [],
    ]);
    const failed = play(RULES, pending.situation, [
      { word: word([], { ...gone('failed', 100, key), version: 3 }) },
    ]);
    expect([failed.situation.transfer.status, isOpen(failed.situation)]).toEqual(['suspended', false]);
    expect(bookedOn(failed.position, 'suspense').toNumber()).toBe(100);
  });

  it('that an owner was given by a decision is recovered when it is recalled', () => {
    const steps = [...inTurn(word()), { decide: decision('suspense_credit', 100) }];
    const given = play(RULES, fresh(null), steps);
    expect(shownPosition(given.position)).toEqual({ deposits: -100, 'released dec_suspense_credit': 100 });
    const recalled = play(RULES, given.situation, [{ word: { ...word([100]), version: 2 } }]);
    expect(bookedOn(recalled.position, 'suspense').toNumber()).toBe(-100);
    const recovered = play(RULES, recalled.situation, [{ decide: decision('suspense_recover', -100) }]);
    expect([
      bookedOn(recovered.position, 'suspense').toNumber(),
      bookedOn(recovered.position, 'released').toNumber(),
    ]).toEqual([0, 0]);
  });

  it('is no amount when it is nothing, too fine, or of no currency', () => {
    const amountOf = (amount: string, currency: string) =>
      isAmount({ amount: new Decimal(amount), currency });
    expect(amountOf('0.01', 'EUR')).toBe(true);
    for (const [amount, currency] of [
      ['0', 'EUR'],
      ['-1', 'EUR'],
      ['0.001', 'EUR'],
      ['1', 'XXX'],
      ['1', ''],
    ] as const)
      expect([amount, currency, amountOf(amount, currency)]).toEqual([amount, currency, false]);
  });
});

it('has one line for each status and trigger, between statuses of its own', () => {
  const lines = IBAN_CREDIT_TRANSITIONS.map(({ from, on }) => `${from} ${on}`);
  expect(new Set(lines).size).toBe(lines.length);
});

// Proof -----------------------------------------------------------------------------------------------------------

const amounts = fc
  .constantFrom(0.01, 33.33, 50, 99.99, 100, 100.01, 250)
  .map((amount) => new Decimal(amount));

const words: fc.Arbitrary<BankCreditWord> = fc
  .record({
    version: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    iban: fc.constantFrom(IBAN, IBAN, 'LT239999900000000002'),
    amount: fc.oneof({ weight: 4, arbitrary: fc.constant(new Decimal(100)) }, amounts, fc.constant(ZERO)),
    currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'EUR', 'USD'),
    recalls: fc.array(fc.record({ id: fc.constantFrom('x1', 'x2'), amount: amounts }), { maxLength: 3 }),
    returns: fc.array(
      fc.record({
        id: fc.constantFrom('x1', 'x2'),
        key: fc.constantFrom(undefined, 'dec_return'),
        amount: amounts,
        status: fc.constantFrom('pending', 'succeeded', 'failed'),
      }),
      { maxLength: 2 },
    ),
  })
  .map(({ version, ...rest }) => ({ id: 'bank-1', ...rest, ...(version === undefined ? {} : { version }) }));

const steps: fc.Arbitrary<Step<BankCreditWord>[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: words.map((each) => ({ word: each })) },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(['credit', 50], ['write_off', 50], ['write_off', -50], ['recover', -50], ['return', 50])
        .map(([door, amount]) => ({
          decide: decision(
            `suspense_${door}`,
            amount as number,
            door === 'return' ? 'dec_return' : undefined,
          ),
        })),
    },
    { weight: 2, arbitrary: fc.constant({ minutes: 2 }) },
  ),
  { minLength: 1, maxLength: 12 },
);

/** What the bank itself would say that it has of ours. */
function positionOfBank(told: BankCreditWord | null, currency: string): Decimal {
  if (told?.currency !== currency) return ZERO;
  const backs = [...told.recalls, ...told.returns.filter(({ status }) => status === 'succeeded')];
  return backs.reduce((left, { amount }) => left.minus(amount), told.amount);
}

describe.each(OWNERS)('whatever the bank says and whoever decides what, a credit of %s', (accountId) => {
  it('holds in the books what the bank has of ours, and takes of the account no more than it was credited', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { counts, position } = play(RULES, fresh(accountId), all);
        for (const currency of ['EUR', 'USD']) {
          const held = bookedOn(position, 'deposits', currency).negated();
          expect(held.toFixed()).toBe(positionOfBank(counts.transfer.word, currency).toFixed());
        }
        const taken = ['chargedBack', 'refunded', 'held'].map((component) => bookedOn(position, component));
        expect(taken.every((amount) => amount.gte(0))).toBe(true);
        const all3 = taken.reduce((sum, amount) => sum.plus(amount), ZERO);
        expect(all3.lte(bookedOn(position, 'credited'))).toBe(true);
        if (accountId === null) expect(bookedOn(position, 'credited').toFixed()).toBe('0');
        expect(bookedOn(position, 'fx').toFixed()).toBe('0');
      }),
      { numRuns: RUNS },
    );
  });

  it('comes to rest with a status of its own, and its books know nothing of the way', () => {
    fc.assert(
      fc.property(steps, fc.constantFrom(...IBAN_CREDIT_STATUSES), (all, status) => {
        const { counts, last } = play(RULES, fresh(accountId), all);
        expect(last.impossible).toBeNull();
        const again = follow(RULES as unknown as TransferKind<IbanCreditTerms, BankCreditWord>, counts);
        expect([again.chosen, again.path]).toEqual([[], []]);
        const elsewhere = { ...counts, transfer: { ...counts.transfer, status } };
        expect(canonical(ibanCreditPosition(elsewhere))).toBe(canonical(ibanCreditPosition(counts)));
        expect(backsOf(counts).every(({ amount }) => amount.gte(0))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });
});
