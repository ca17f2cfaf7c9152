import { Decimal, ZERO } from '../../../src/kernel/money/money';
import type { BankCreditWord } from '../../../src/parties/bank/word';
import type { Decision } from '../../../src/transfers/engine/record';
import { ibanCreditKind } from '../../../src/transfers/iban/credits/kind';
import {
  IBAN_CREDIT_TRANSITIONS,
  type IbanCredit,
  type IbanCreditTerms,
  isAmount,
  isOpen,
  notices,
  orders,
} from '../../../src/transfers/iban/credits/rules';
import { shown, totalOf } from '../engine/books';
import { linesOf } from '../engine/lines';
import { type Brought, begun, looks, START } from '../engine/look';

const play = (from: IbanCredit, all: readonly Brought<IbanCreditTerms, BankCreditWord>[]) =>
  looks(ibanCreditKind, from, all);

const IBAN = 'LT529999900000000001';
const TERMS: IbanCreditTerms = { iban: IBAN, amount: new Decimal(100), currency: 'EUR' };

const fresh = (accountId: string | null = 'vib_1'): IbanCredit =>
  begun<IbanCreditTerms, BankCreditWord>({
    kind: 'iban_credit',
    status: 'received',
    terms: TERMS,
    accountId,
    tenantId: accountId && 'cli_1',
    partyRef: 'bank-1',
    orderedAt: START,
  });

const parts = (name: string, amounts: readonly number[]) =>
  amounts.map((amount, n) => ({ id: `${name}${n + 1}`, amount: new Decimal(amount) }));
const word = (recalls: number[] = [], given: Partial<BankCreditWord> = {}): BankCreditWord => ({
  id: 'bank-1',
  iban: IBAN,
  amount: new Decimal(100),
  currency: 'EUR',
  returns: [],
  recalls: parts('c', recalls),
  ...given,
});
const inTurn = (...words: BankCreditWord[]) =>
  words.map((each, n) => ({ word: { ...each, version: n + 1 } }));

const decision = (kind: string, amount: number, id = `dec_${kind}`): Decision => ({
  id,
  kind,
  currency: 'EUR',
  accountId: 'acc_2',
  data: {},
  reason: null,
  amount: new Decimal(amount),
  decidedBy: 'operator',
  at: START,
});

const gone = (status: 'pending' | 'succeeded' | 'failed', amount = 100, key?: string) => ({
  returns: [{ id: 'b1', amount: new Decimal(amount), status, ...(key === undefined ? {} : { key }) }],
});

describe('a payment that the bank has received', () => {
  it.each<[string, string | null, BankCreditWord[], string, Record<string, number>]>([
    ['is credited', 'vib_1', [word()], 'credited', { bank: -100, credited: 100 }],
    ['without an owner is suspended', null, [word()], 'suspended', { bank: -100, suspense: 100 }],
    [
      'is recalled',
      'vib_1',
      [word(), word([100])],
      'recalled',
      { credited: 100, 'chargedBack part recall c1': 100 },
    ],
    [
      'is recalled in parts',
      'vib_1',
      [word(), word([40, 10])],
      'credited',
      { bank: -50, credited: 100, 'chargedBack part recall c1': 40, 'chargedBack part recall c2': 10 },
    ],
    [
      'is recalled, and a part of the recall is withdrawn',
      'vib_1',
      [word(), word([60, 40]), word([60])],
      'credited',
      { bank: -40, credited: 100, 'chargedBack part recall c1': 60 },
    ],
    [
      'is recalled before the first look',
      'vib_1',
      [word([100])],
      'recalled',
      { credited: 100, 'chargedBack part recall c1': 100 },
    ],
    ['without an owner is recalled', null, [word(), word([100])], 'recalled', {}],
    ['is given back by the bank', null, [word(), word([], gone('succeeded'))], 'returned', {}],
    [
      'is given back, and the return then fails',
      null,
      [word([], gone('succeeded')), word([], gone('failed'))],
      'suspended',
      { bank: -100, suspense: 100 },
    ],
    [
      'is lowered',
      'vib_1',
      [word(), word([], { amount: new Decimal(70) })],
      'credited',
      { bank: -70, credited: 70 },
    ],
    [
      'is raised',
      'vib_1',
      [word(), word([], { amount: new Decimal(170) })],
      'credited',
      { bank: -170, credited: 100, suspense: 70 },
    ],
    ['is lowered to zero', 'vib_1', [word(), word([], { amount: ZERO })], 'recalled', {}],
    [
      'changes its currency',
      'vib_1',
      [word(), word([], { currency: 'USD' })],
      'credited',
      { bank: -100, suspense: 100 },
    ],
    [
      'is recalled for more than its amount',
      'vib_1',
      [word(), word([150])],
      'recalled',
      { bank: 50, suspense: -50, credited: 100, 'chargedBack part recall c1': 100 },
    ],
  ])('%s', (_, accountId, words, status, expected) => {
    const { situation, books, impossible } = play(fresh(accountId), inTurn(...words));
    expect([situation.transfer.status, impossible]).toEqual([status, null]);
    expect(shown(books)).toEqual(expected);
  });

  it('opens a break when the bank changes it', () => {
    const told = (given: Partial<BankCreditWord>) =>
      notices(play(fresh(), inTurn(word(), word([], given))).counting);
    expect(told({ iban: 'lt52 9999 9000 0000 0001' })).toEqual([]);
    for (const given of [{ iban: 'LT239999900000000002' }, { amount: new Decimal(1) }, { currency: 'USD' }])
      expect(told(given)).toMatchObject([{ kind: 'iban_credit_changed' }]);
  });

  it('is returned to its payer by a decision, under its key, and stays open until the bank has done it', () => {
    const key = 'dec_return';
    const asked = play(fresh(null), [
      ...inTurn(word()),
      { decided: [decision('suspense_return', 100, 'dec_return')] },
    ]);
    expect(orders(asked.situation)).toEqual([{ key, what: 'refund' }]);
    expect([isOpen(asked.situation), totalOf(asked.books, 'suspense').toNumber()]).toEqual([true, 100]);
    const pending = play(asked.situation, [{ word: word([], { ...gone('pending', 100, key), version: 2 }) }]);
    expect([orders(pending.situation), isOpen(pending.situation)]).toEqual([[], true]);
    const done = play(pending.situation, [
      { word: word([], { ...gone('succeeded', 100, key), version: 3 }) },
    ]);
    expect([done.situation.transfer.status, isOpen(done.situation), done.books]).toEqual([
      'returned',
      false,
      [],
    ]);
    const failed = play(pending.situation, [{ word: word([], { ...gone('failed', 100, key), version: 3 }) }]);
    expect([failed.situation.transfer.status, isOpen(failed.situation)]).toEqual(['suspended', false]);
    expect(totalOf(failed.books, 'suspense').toNumber()).toBe(100);
  });

  it('counts as returned by the bank itself when the key is not one of our orders', () => {
    const credited = { ...decision('suspense_credit', 1, 'dec_credit'), currency: 'USD' };
    for (const key of ['theirs', credited.id]) {
      const steps = [...inTurn(word()), { decided: [credited] }];
      const told = (status: 'pending' | 'succeeded') =>
        play(fresh(), [...steps, { word: word([], { ...gone(status, 40, key), version: 2 }) }]);
      const [pending, done] = [told('pending'), told('succeeded')];
      // A pending return of the bank itself holds nothing on the account.
      expect([isOpen(pending.situation), totalOf(pending.books, 'held', 'refunded').toFixed()]).toEqual([
        ...[false, '0'],
      ]);
      expect(done.books.filter(({ component }) => component === 'refunded')).toMatchObject([
        { part: 'part return b1' },
      ]);
    }
  });

  it('that was credited by a decision can be recovered after a recall', () => {
    const steps = [...inTurn(word()), { decided: [decision('suspense_credit', 100)] }];
    const given = play(fresh(null), steps);
    expect(shown(given.books)).toEqual({ bank: -100, 'released dec_suspense_credit': 100 });
    const recalled = play(given.situation, [{ word: { ...word([100]), version: 2 } }]);
    expect(totalOf(recalled.books, 'suspense').toNumber()).toBe(-100);
    const recovered = play(recalled.situation, [{ decided: [decision('suspense_recover', -100)] }]);
    expect([
      totalOf(recovered.books, 'suspense').toNumber(),
      totalOf(recovered.books, 'released').toNumber(),
    ]).toEqual([0, 0]);
  });

  it('is invalid with an amount of zero, too many decimals, or no currency', () => {
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

it('has one transition for each status and trigger', () => {
  const lines = linesOf(IBAN_CREDIT_TRANSITIONS).map(({ from, on }) => `${from} ${on}`);
  expect(new Set(lines).size).toBe(lines.length);
});
