import { Decimal } from '../../../src/kernel/money/money';
import type { CheckoutWord } from '../../../src/parties/checkout/word';
import { depositKind } from '../../../src/transfers/deposits/kind';
import type { Deposit } from '../../../src/transfers/deposits/money';
import { DOUBT_MS, withReport } from '../../../src/transfers/engine/follow';

/** A word of the party is applied, dropped as outdated, or doubted until a second reading. */

const START = new Date('2026-11-21T12:00:00Z');

function fresh(): Deposit {
  return {
    transfer: {
      id: 'dep_1',
      kind: 'deposit',
      tenantId: null,
      accountId: null,
      status: 'manual_review',
      terms: null,
      referenceId: 'ref_1',
      idempotencyKey: null,
      partyRef: 'cs_1',
      orderedAt: START,
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
      createdAt: START,
      updatedAt: START,
    },
    decisions: [],
    at: START,
  };
}

interface Said {
  version?: number;
  amount?: number;
  currency?: string;
  refunds?: { id: string; amount: number; status: 'pending' | 'succeeded' | 'failed' }[];
  dispute?: 'open' | 'won';
}

const says = ({ version, amount = 100, currency = 'USD', refunds = [], dispute }: Said): CheckoutWord => ({
  ...(version === undefined ? {} : { version }),
  key: null,
  page: 'paid',
  risk: 'normal',
  payments: [{ id: 'p1', amount: new Decimal(amount), currency, status: 'settled' }],
  refunds: refunds.map((refund) => ({ ...refund, amount: new Decimal(refund.amount), currency })),
  disputes: dispute ? [{ id: 'd1', amount: new Decimal(amount), currency, status: dispute }] : [],
});

/** Hears each word at its seconds after the start. @returns the effective word after each */
function heard(...all: [number, Said][]): { counts: CheckoutWord | null; doubted: boolean }[] {
  let deposit = fresh();
  return all.map(([seconds, said]) => {
    deposit = withReport(
      depositKind,
      { ...deposit, at: new Date(START.getTime() + seconds * 1_000) },
      says(said),
    );
    const { word, doubtedAt } = deposit.transfer;
    return { counts: word, doubted: doubtedAt !== null };
  });
}

const MINUTE = DOUBT_MS / 1_000;
const refund = (status: 'pending' | 'succeeded' | 'failed') => [{ id: 'r1', amount: 10, status }];

it.each<[string, Said, Said]>([
  ['a payment that shrinks', {}, { amount: 99 }],
  ['a payment in another currency', {}, { currency: 'GBP' }],
  ['a missing refund', { refunds: refund('pending') }, {}],
  [
    'a refund that fails after it had succeeded',
    { refunds: refund('succeeded') },
    { refunds: refund('failed') },
  ],
  ['a missing dispute', { dispute: 'open' }, {}],
])('%s is doubted until a second reading a minute later', (_, first, then) => {
  expect(heard([0, first], [1, then], [MINUTE, then], [MINUTE + 1, then])).toEqual([
    { counts: says(first), doubted: false },
    { counts: says(first), doubted: true },
    { counts: says(first), doubted: true },
    { counts: says(then), doubted: false },
  ]);
});

it.each<[string, Said, Said]>([
  ['more money', {}, { amount: 150 }],
  ['a refund that fails while it is pending', { refunds: refund('pending') }, { refunds: refund('failed') }],
  ['a dispute that is won', { dispute: 'open' }, { dispute: 'won' }],
  ['a newer version, whatever it says', { version: 1 }, { version: 2, amount: 1 }],
  ['the first version', {}, { version: 1, amount: 1 }],
])('%s counts at once', (_, first, then) => {
  expect(heard([0, first], [1, then]).at(-1)).toEqual({ counts: says(then), doubted: false });
});

it('an older version is dropped at every reading', () => {
  const [newer, older]: Said[] = [{ version: 2 }, { version: 1, amount: 500 }];
  const all = heard([0, newer as Said], [1, older as Said], [1 + MINUTE, older as Said]);
  expect(all).toEqual(Array(3).fill({ counts: says({ version: 2 }), doubted: false }));
});

it('a doubt starts again with another word, and ends with a word that takes nothing back', () => {
  const [first, less, least]: Said[] = [{}, { amount: 60 }, { amount: 40 }] as const;
  const all = heard([0, first], [1, less], [2, least], [1 + MINUTE, least]);
  expect(all.at(-1)).toEqual({ counts: says({}), doubted: true });
  expect(heard([0, {}], [1, less], [2, {}], [2 + MINUTE, less]).at(-1)).toEqual({
    counts: says({}),
    doubted: true,
  });
});
