import fc from 'fast-check';
import type { Limits, Used } from '../../../../src/cards/events/limits/record';
import type { Authorization } from '../../../../src/cards/events/record';
import {
  createSpending,
  dayOf,
  type Part,
  releaseNewestFirst,
  type SpendingChange,
  usedKey,
} from '../../../../src/cards/events/rules/limits/spending';
import { Decimal, ZERO } from '../../../../src/kernel/money/money';
import { money, scene } from '../scene';

/**
 * Counting event by event gives the same sums as counting everything again. The model keeps a chain as a stack of minor
 * units, each with its day.
 */

const card = { ...scene().card, limited: true };
const START = Date.UTC(2026, 0, 25);
const NONE: Limits = {
  perTransaction: null,
  perDay: null,
  perMonth: null,
  blockedMccs: [],
  allowedMccs: [],
  blockedCountries: [],
  challengeEcommerce: false,
  challengeAbove: null,
  homeCountries: [],
};

interface Step {
  /** Whole days that pass before the step. */
  later: number;
  chain: number;
  minor: number;
  release: boolean;
}

const step = fc.record<Step>({
  later: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(20) }),
  chain: fc.nat(3),
  minor: fc.integer({ min: 1, max: 30 }),
  release: fc.boolean(),
});

/** The state between events: sums by day, and the counters of the chains. */
function createBooks() {
  const rows = new Map<string, SpendingChange>();
  const chains: (Authorization | undefined)[] = [];
  const parts = new Map<string, Part[]>();
  const used = (subject: string, today: string): Used => {
    const of = [...rows.values()].filter(({ subjectId }) => subjectId === subject);
    const sum = (those: SpendingChange[]) => those.reduce((total, { amount }) => total.plus(amount), ZERO);
    return {
      day: sum(of.filter(({ day }) => day === today)),
      month: sum(of.filter(({ day }) => day.slice(0, 7) === today.slice(0, 7))),
    };
  };
  return { rows, chains, parts, used };
}

const chainOf = (id: string, at: Date) =>
  ({ id, cardId: card.id, createdAt: at, billing: { authorized: ZERO, reversed: ZERO } }) as Authorization;

it('equals a full count on every day, and is never below zero @long', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const books = createBooks();
      const coins = new Map<string, string[]>();
      let days = 0;
      for (const { later, chain: index, minor, release } of steps) {
        days += later;
        const at = new Date(START + days * 86_400_000);
        const today = dayOf(at);
        const chain = (books.chains[index] ??= chainOf(`c${index}`, at));
        const stack = coins.get(chain.id) ?? [];
        const count = release ? Math.min(minor, stack.length) : minor;
        // One board per event, as if each arrived alone.
        const subjects = [card.id, card.userId];
        const spending = createSpending(at, {
          limits: new Map([[card.userId, NONE]]),
          used: new Map(subjects.map((each) => [usedKey(each, 'USD'), books.used(each, today)])),
          parts: dayOf(chain.createdAt) < today ? new Map(books.parts) : new Map(),
        });
        spending.count(card, chain, release ? 'cancel' : 'authorization', new Decimal(count));
        const counter = release ? 'reversed' : 'authorized';
        chain.billing = { ...chain.billing, [counter]: chain.billing[counter].plus(count) };
        if (release) stack.splice(stack.length - count);
        else stack.push(...Array<string>(count).fill(today));
        coins.set(chain.id, stack);
        const before = books.parts.get(chain.id) ?? [];
        books.parts.set(
          chain.id,
          release
            ? releaseNewestFirst(before, new Decimal(count)).left
            : [...before, { day: today, amount: new Decimal(count) }],
        );
        for (const change of spending.changes()) {
          const name = `${change.subjectId} ${change.day}`;
          const amount = (books.rows.get(name)?.amount ?? ZERO).plus(change.amount);
          expect(amount.gte(0)).toBe(true);
          books.rows.set(name, { ...change, amount });
        }
        // The board's sums of day and month equal the rows that are stored afterwards.
        const [, ...own] = spending.levels(card, programme);
        for (const level of own) expect(shown(level.used)).toEqual(shown(books.used(card.userId, today)));
        expectRecount(books.rows, coins);
      }
    }),
    { numRuns: 300 },
  );
});

const programme = { ...NONE, maxAuthorization: null, maxPerDay: null, maxPerMonth: null } as never;
const shown = ({ day, month }: Used) => `${day.toFixed()} ${month.toFixed()}`;

function expectRecount(rows: Map<string, SpendingChange>, coins: Map<string, string[]>): void {
  const recount: Record<string, number> = {};
  for (const day of [...coins.values()].flat()) recount[day] = (recount[day] ?? 0) + 1;
  for (const subject of [card.id, card.userId]) {
    const counted = [...rows.values()].filter(
      ({ subjectId, amount }) => subjectId === subject && !amount.isZero(),
    );
    expect(Object.fromEntries(counted.map(({ day, amount }) => [day, amount.toNumber()]))).toEqual(recount);
  }
}

it('takes a release from the newest day first, splitting that day if it is enough', () => {
  const parts = [
    { day: '2026-01-30', amount: money('10') },
    { day: '2026-01-31', amount: money('5') },
  ];
  const { left, taken } = releaseNewestFirst(parts, money('7'));
  const texts = (those: Part[]) => those.map(({ day, amount }) => `${day} ${amount.toFixed()}`);
  expect(texts(taken)).toEqual(['2026-01-31 5', '2026-01-30 2']);
  expect(texts(left)).toEqual(['2026-01-30 8']);
  expect(() => releaseNewestFirst(parts, money('15.01'))).toThrow('more is released');
});
