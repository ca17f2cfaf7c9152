import { Decimal } from '../../../src/kernel/money/money';
import type { CardOrderWord } from '../../../src/parties/external-cards/word';
import type { PayoutWord } from '../../../src/parties/payouts/word';
import { conclusionData, effective } from '../../../src/transfers/engine/conclusion';
import type { TransferKind } from '../../../src/transfers/engine/kind';
import type { Decision, PartyWord, Situation } from '../../../src/transfers/engine/record';
import { cardTopupKind, cardWithdrawalKind } from '../../../src/transfers/external-cards/kind';
import { ibanCreditKind } from '../../../src/transfers/iban/credits/kind';
import { payoutKind } from '../../../src/transfers/payouts/kind';

/** A conclusion of each kind ends the open part of the word, and keeps the rest. */

const NOW = new Date('2026-11-21T12:00:00Z');
const of = (value: number | string) => new Decimal(value);

const situation = <Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  terms: Terms,
  word: Word | null,
  decisions: Decision[] = [],
): Situation<Terms, Word> => ({
  transfer: {
    id: 'rec_1',
    kind: kind.name,
    tenantId: 'cli_1',
    accountId: 'acc_1',
    status: 'processing',
    terms,
    referenceId: 'rec_1',
    idempotencyKey: null,
    partyRef: 'rec_1',
    orderedAt: NOW,
    word,
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
  decisions,
  at: NOW,
});

const decision = (id: string, kind: string, given: Partial<Decision> = {}): Decision => ({
  id,
  kind,
  amount: null,
  currency: null,
  accountId: null,
  data: {},
  reason: null,
  decidedBy: 'operator',
  at: NOW,
  ...given,
});

/** The effective word after the conclusion. Undefined if the conclusion is not possible. */
function concluded<Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  before: Situation<Terms, Word>,
  as: 'paid' | 'failed',
): Word | null | undefined {
  const data = conclusionData(as, before);
  const after = { ...before, decisions: [...before.decisions, decision('dec_c', 'conclude', { data })] };
  return kind.concluded?.(after, as) === undefined ? undefined : effective(kind, after).transfer.word;
}

const PAYOUT = {
  method: 'sepa' as const,
  currency: 'EUR',
  receivedCurrency: 'EUR',
  needsApproval: false,
  rate: of(1),
  amount: of(100),
  fee: of('0.35'),
  receivedAmount: of(100),
};
const payout = (status: PayoutWord['status'], sent: number, ...backs: number[]): PayoutWord => ({
  status,
  sent: of(sent),
  returns: backs.map((amount, index) => ({ id: `r${index + 1}`, amount: of(amount) })),
});

it.each([
  ['nothing sent yet', payout('processing', 0), payout('completed', 100), payout('failed', 0)],
  ['sent', payout('sent', 100), payout('completed', 100), payout('failed', 0)],
  ['less sent than ordered', payout('sent', 60), payout('completed', 60), payout('failed', 0)],
  ['a part back', payout('sent', 100, 30), payout('completed', 100, 30), payout('failed', 30, 30)],
])('concludes a payout as paid or failed: %s', (_, word, paid, failed) => {
  const before = situation(payoutKind, PAYOUT, word);
  expect(concluded(payoutKind, before, 'paid')).toEqual(paid);
  expect(concluded(payoutKind, before, 'failed')).toEqual(failed);
});

describe('a conclusion', () => {
  const open = payout('processing', 0);
  const concludedAs = (as: 'paid' | 'failed', on: PayoutWord | null, id = 'dec_1') =>
    decision(id, 'conclude', { data: conclusionData(as, situation(payoutKind, PAYOUT, on)) });
  const countsAs = (word: PayoutWord, ...decisions: Decision[]) =>
    effective(payoutKind, situation(payoutKind, PAYOUT, word, decisions)).transfer.word?.status;

  it.each([
    ['higher', { ...open, version: 1 }, { ...open, version: 2 }],
    ['new', open, { ...open, version: 1 }],
    ['gone', { ...open, version: 1 }, open],
  ])('stands when the party repeats its word with a version that is %s', (_, before, again) => {
    expect(countsAs(again, concludedAs('failed', before))).toBe('failed');
  });

  it('falls with a different word, and stands again when the first word returns', () => {
    const made = concludedAs('failed', { ...open, version: 1 });
    expect(countsAs({ ...payout('sent', 100), version: 2 }, made)).toBe('sent');
    expect(countsAs({ ...open, version: 3 }, made)).toBe('failed');
  });

  it('belongs to its word, beside a later conclusion of another word', () => {
    const both = [concludedAs('failed', open), concludedAs('paid', payout('sent', 100), 'dec_2')];
    expect(countsAs({ ...payout('sent', 100), version: 2 }, ...both)).toBe('completed');
    expect(countsAs({ ...open, version: 3 }, ...both)).toBe('failed');
  });
});

const CARD = { amount: of(100), fee: of(2), currency: 'USD', actionExpiresAt: NOW };
const order = (status: CardOrderWord['status'], moved: number, ...backs: number[]): CardOrderWord => ({
  status,
  moved: of(moved),
  returns: backs.map((amount, index) => ({ id: `r${index + 1}`, amount: of(amount) })),
});

it.each([
  ['nothing has arrived yet', order('processing', 0), order('succeeded', 100), order('failed', 0)],
  ['a part arrived', order('processing', 60), order('succeeded', 100), order('failed', 60)],
  ['a part gone back', order('processing', 100, 30), order('succeeded', 100, 30), order('failed', 100, 30)],
  ['ended short', order('succeeded', 60), undefined, order('failed', 60)],
])('concludes a top-up as paid or failed: %s', (_, word, paid, failed) => {
  const before = situation(cardTopupKind, CARD, word);
  expect(concluded(cardTopupKind, before, 'paid')).toEqual(paid);
  expect(concluded(cardTopupKind, before, 'failed')).toEqual(failed);
});

it.each([
  ['waiting for the payer', order('requires_action', 0), order('succeeded', 100), order('failed', 0)],
  ['gone', order('processing', 100), order('succeeded', 100), order('failed', 0)],
  ['a part back', order('processing', 100, 30), order('succeeded', 100, 30), order('failed', 30, 30)],
])('concludes a withdrawal as paid or failed: %s', (_, word, paid, failed) => {
  const before = situation(cardWithdrawalKind, CARD, word);
  expect(concluded(cardWithdrawalKind, before, 'paid')).toEqual(paid);
  expect(concluded(cardWithdrawalKind, before, 'failed')).toEqual(failed);
});

describe('a credit of the bank', () => {
  const TERMS = { iban: 'LT00', amount: of(500), currency: 'EUR' };
  const back = (key: string, amount: number, status: 'pending' | 'succeeded' | 'failed') => ({
    id: `party-${key}`,
    key,
    amount: of(amount),
    status,
  });
  const word = (...returns: ReturnType<typeof back>[]) => ({
    id: 'bank-1',
    iban: 'LT1',
    amount: of(500),
    currency: 'EUR',
    recalls: [],
    returns,
  });
  const ordered = (id: string, amount: number) =>
    decision(id, 'suspense_return', { amount: of(amount), currency: 'EUR' });

  it('has only its ordered return open', () => {
    const theirs = { ...word(), returns: [{ id: 'party-1', amount: of(5), status: 'pending' as const }] };
    const done = word(back('dec_1', 300, 'succeeded'));
    for (const before of [
      situation(ibanCreditKind, TERMS, null),
      situation(ibanCreditKind, TERMS, word()),
      situation(ibanCreditKind, TERMS, theirs),
      situation(ibanCreditKind, TERMS, done, [ordered('dec_1', 300)]),
    ])
      expect(concluded(ibanCreditKind, before, 'paid')).toBeUndefined();
  });

  it.each([
    ['paid', 'succeeded'],
    ['failed', 'failed'],
  ] as const)('concluded as %s: a begun and an unanswered return count as %s', (as, status) => {
    const orders = [ordered('dec_1', 300), ordered('dec_2', 100)];
    const before = situation(ibanCreditKind, TERMS, word(back('dec_1', 300, 'pending')), orders);
    expect(concluded(ibanCreditKind, before, as)?.returns).toEqual([
      back('dec_1', 300, status),
      { ...back('dec_2', 100, status), id: 'dec_2' },
    ]);
  });

  it('keeps the conclusion of one return when another return is concluded', () => {
    const before = situation(ibanCreditKind, TERMS, word(), [ordered('dec_1', 300)]);
    const first = decision('dec_2', 'conclude', { data: conclusionData('failed', before) });
    const later = { ...before, decisions: [...before.decisions, first, ordered('dec_3', 50)] };
    const statuses = (credit: typeof later) =>
      effective(ibanCreditKind, credit).transfer.word?.returns.map(({ id, status }) => [id, status]);
    expect(statuses(later)).toEqual([['dec_1', 'failed']]);
    const second = decision('dec_4', 'conclude', { data: conclusionData('paid', later) });
    expect(statuses({ ...later, decisions: [...later.decisions, second] })).toEqual([
      ['dec_1', 'failed'],
      ['dec_3', 'succeeded'],
    ]);
  });
});
