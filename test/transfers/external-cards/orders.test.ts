import { Decimal } from '../../../src/kernel/money/money';
import type { CardOrderWord } from '../../../src/parties/external-cards/word';
import type { Decision } from '../../../src/transfers/engine/record';
import { CARD_KINDS } from '../../../src/transfers/external-cards/kind';
import { type CardTerms, type CardTransfer, orders } from '../../../src/transfers/external-cards/order-rules';
import { EXTERNAL_CARD_KINDS, EXTERNAL_CARD_STATUSES } from '../../../src/transfers/external-cards/record';
import { shown, totalOf } from '../engine/books';
import { linesOf } from '../engine/lines';
import { begun, look, looks, START } from '../engine/look';

const TERMS: CardTerms = {
  amount: new Decimal(100),
  fee: new Decimal('1.80'),
  currency: 'USD',
  needsApproval: false,
  actionExpiresAt: new Date(START.getTime() + 30 * 60_000),
};

const fresh = (): CardTransfer =>
  begun<CardTerms, CardOrderWord>({ kind: 'card', status: 'pending', terms: TERMS });

const word = (status: CardOrderWord['status'], moved: number, ...returns: number[]): CardOrderWord => ({
  status,
  moved: new Decimal(moved),
  returns: returns.map((amount, n) => ({ id: `r${n + 1}`, amount: new Decimal(amount) })),
});
/** Words with versions, so that each counts at once. */
const inTurn = (...words: CardOrderWord[]) => words.map((each, n) => ({ word: { ...each, version: n + 1 } }));
const told = (kind: keyof typeof CARD_KINDS, ...words: CardOrderWord[]) =>
  looks(CARD_KINDS[kind], fresh(), inTurn(...words));

const refused = (code: string): Decision => ({
  id: 'dec_1',
  kind: 'refused',
  amount: null,
  currency: null,
  accountId: null,
  reason: null,
  data: { key: 'rec_1', code },
  decidedBy: 'system',
  at: START,
});

const REQUIRED = word('requires_action', 0);
const [PROCESSING, PUSHED] = [word('processing', 0), word('processing', 100)];
const [ARRIVED, FAILED] = [word('succeeded', 100), word('failed', 0)];
const BACK = word('succeeded', 100, 100);
const PART = word('succeeded', 100, 40);

describe('the states of a top-up', () => {
  it.each<[string, CardOrderWord[], string, string | null]>([
    ['completes', [PROCESSING, ARRIVED], 'completed', null],
    ['is confirmed by the payer', [REQUIRED, PROCESSING, ARRIVED], 'completed', null],
    ['needs a confirmation later', [PROCESSING, REQUIRED], 'requires_action', null],
    ['fails', [PROCESSING, FAILED], 'failed', null],
    ['is charged back', [ARRIVED, BACK], 'returned', null],
    ['is charged back before the first look', [PROCESSING, BACK], 'returned', null],
    ['is charged back in part', [ARRIVED, PART], 'returned', null],
    ['wins its chargeback', [ARRIVED, BACK, ARRIVED], 'completed', null],
    ['stays failed when it arrives late', [FAILED, ARRIVED], 'failed', null],
    ['stays failed when it is processing again', [FAILED, PROCESSING], 'failed', 'accepted'],
    ['stays open when it arrives in part', [PROCESSING, word('succeeded', 40)], 'processing', 'short'],
    ['arrives, and then fails', [ARRIVED, FAILED], 'returned', null],
    ['is charged back in part, and then fails', [ARRIVED, PART, FAILED], 'returned', null],
    [
      'stays completed with a failed status and its money',
      [ARRIVED, word('failed', 100)],
      'completed',
      'kept',
    ],
  ])('%s', (_, words, status, impossible) => {
    const { situation, impossible: seen } = told('topup', ...words);
    expect([situation.transfer.status, seen]).toEqual([status, impossible]);
  });
});

describe('the states of a withdrawal', () => {
  it.each<[string, CardOrderWord[], string, string | null]>([
    ['completes', [PUSHED, ARRIVED], 'completed', null],
    ['is pending while nothing has moved', [PROCESSING], 'pending', null],
    ['fails when nothing has left', [PROCESSING, FAILED], 'failed', null],
    ['comes back when it fails after it left', [PUSHED, FAILED], 'returned', null],
    ['comes back', [ARRIVED, BACK], 'returned', null],
    ['comes back before the first look', [BACK], 'returned', null],
    ['comes back in part', [ARRIVED, PART], 'returned', null],
    ['comes back in part, and then fails', [ARRIVED, PART, FAILED], 'returned', null],
    ['comes back, and then arrives', [ARRIVED, BACK, ARRIVED], 'completed', null],
    ['leaves after it had failed', [FAILED, ARRIVED], 'completed', null],
    ['leaves and comes back after it had failed', [FAILED, BACK], 'returned', null],
    ['fails after it was completed', [ARRIVED, FAILED], 'returned', null],
    ['stays completed when nothing has moved any more', [ARRIVED, PROCESSING], 'completed', 'unmoved'],
    ['succeeds with nothing moved', [word('succeeded', 0)], 'pending', 'unmoved'],
    ['stays open when it moves in part', [PROCESSING, word('succeeded', 40)], 'pending', 'short'],
  ])('%s', (_, words, status, impossible) => {
    const { situation, impossible: seen } = told('withdrawal', ...words);
    expect([situation.transfer.status, seen]).toEqual([status, impossible]);
  });
});

it.each(EXTERNAL_CARD_KINDS)(
  'a %s has one transition for each status and trigger, between its statuses',
  (kind) => {
    const transitions = linesOf(CARD_KINDS[kind].transitions);
    const lines = transitions.map(({ from, on }) => `${from} ${on}`);
    expect(new Set(lines).size).toBe(lines.length);
    for (const { from, to } of transitions)
      for (const status of [from, to]) expect(EXTERNAL_CARD_STATUSES).toContain(status);
  },
);

it.each(EXTERNAL_CARD_KINDS)(
  'a refused %s fails with the acquirer’s code, and is not ordered again',
  (kind) => {
    expect(orders(fresh())).toEqual([{ key: 'rec_1', what: 'open' }]);
    const { situation, books } = look(CARD_KINDS[kind], fresh(), {
      decided: [refused('unknown_token')],
    });
    expect([situation.transfer.status, situation.transfer.failure, books]).toEqual([
      'failed',
      'unknown_token',
      [],
    ]);
    expect(orders(situation)).toEqual([]);
  },
);

/** The books follow the acquirer's position on every path of its words. */
describe('a late word', () => {
  it.each<[string, keyof typeof CARD_KINDS, CardOrderWord[], Record<string, number>]>([
    ['of a failed top-up that arrives', 'topup', [FAILED, ARRIVED], { external_cards: -100, suspense: 100 }],
    ['of a failed top-up that arrives and fails', 'topup', [FAILED, ARRIVED, FAILED], {}],
    [
      'of a failed top-up that arrives and is charged back in part',
      'topup',
      [FAILED, ARRIVED, PART],
      { external_cards: -60, suspense: 60 },
    ],
    ['of a top-up returned in part that fails', 'topup', [ARRIVED, PART, FAILED], {}],
    [
      'of a withdrawal returned in part that arrives',
      'withdrawal',
      [ARRIVED, PART, ARRIVED],
      { paid: 100, fee: 1.8, fees: 1.8, external_cards: 100 },
    ],
    ['of a withdrawal returned in part that fails', 'withdrawal', [ARRIVED, PART, FAILED], {}],
    [
      'of a failed withdrawal that leaves',
      'withdrawal',
      [FAILED, PUSHED],
      { paid: 100, fee: 1.8, fees: 1.8, external_cards: 100 },
    ],
  ])('%s is booked', (_, kind, words, expected) => {
    expect(shown(told(kind, ...words).books)).toEqual(expected);
  });

  it('that takes something back without a version counts at a second reading a minute later', () => {
    const before = looks(CARD_KINDS.topup, fresh(), [{ word: ARRIVED }, { word: BACK }]);
    const stale = look(CARD_KINDS.topup, before.situation, { word: ARRIVED });
    expect([stale.situation.transfer.status, stale.books]).toEqual(['returned', before.books]);
    const again = looks(CARD_KINDS.topup, stale.situation, [{ minutes: 1, word: ARRIVED }]);
    expect(again.situation.transfer.status).toBe('completed');
  });

  it('with a lower version is dropped', () => {
    const before = looks(CARD_KINDS.topup, fresh(), [{ word: { ...BACK, version: 7 } }]);
    const after = look(CARD_KINDS.topup, before.situation, { word: { ...ARRIVED, version: 6 } });
    expect([after.situation.transfer.status, after.books]).toEqual(['returned', before.books]);
  });
});

it('chargebacks take exact shares, the last one the rest, and a won dispute credits the same', () => {
  const thirds = word('succeeded', 100, 33.33, 33.33, 33.34);
  const { books } = told('topup', ARRIVED, thirds);
  expect(totalOf(books, 'chargedBack').toFixed(2)).toBe('98.20');
  expect(totalOf(books, 'fees').toFixed()).toBe('0');
  expect(told('topup', ARRIVED, thirds, ARRIVED).books).toEqual(told('topup', ARRIVED).books);
});
