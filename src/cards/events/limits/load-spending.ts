import type { Database, Sql } from '../../../kernel/db/database';
import { inPortions } from '../../../kernel/db/portions';
import { ZERO } from '../../../kernel/money/money';
import { setLimited } from '../../cards/operations';
import type { Card } from '../../cards/record';
import type { Programme } from '../../programmes/record';
import type { Authorization } from '../record';
import {
  createSpending,
  dayOf,
  NOTHING_LIMITED,
  NOTHING_USED,
  type Part,
  releaseNewestFirst,
  type Spending,
  type SpendingChange,
  usedKey,
} from '../rules/limits/spending';
import { hasAnyLimit, hasPeriodLimit, limitsOfProgramme, type SubjectLimits, type Used } from './record';
import {
  deleteSpending,
  firstOfMonth,
  type Moved,
  movesOfChains,
  movesSince,
  readLimits,
  readUsed,
  replaceSpending,
} from './store';

type LimitsBySubject = ReadonlyMap<string, SubjectLimits>;

/**
 * Loads the limits and the spending of cards, in one round trip. Asks nothing when no card is limited. The locks of
 * cards and accounts cover limits and spending too (`readLimits`, `readUsed`).
 * @param cards locked, with their accounts
 * @param chains the authorizations that messages name
 */
export async function loadSpending(
  tx: Sql,
  at: Date,
  cards: Card[],
  programmes: ReadonlyMap<string, Programme>,
  chains: Authorization[],
): Promise<Spending> {
  const concerned = cards.filter((card) => card.limited || hasProgrammePeriodLimit(card, programmes));
  if (concerned.length === 0) return createSpending(at, NOTHING_LIMITED);
  const ids = new Set(concerned.map(({ id }) => id));
  const subjects = [...new Set(concerned.flatMap(({ id, userId }) => [id, userId]))];
  const old = chains.filter(({ cardId, createdAt }) => ids.has(cardId) && dayOf(createdAt) < dayOf(at));
  const [set, used, moved] = await Promise.all([
    readLimits(tx, subjects),
    readUsed(tx, subjects, at),
    old.length > 0
      ? movesOfChains(
          tx,
          old.map(({ id }) => id),
        )
      : [],
  ]);
  const limits = new Map([...set].filter(([, each]) => hasAnyLimit(each)));
  const turning = concerned.filter((card) => card.limited !== isLimited(card, limits, programmes));
  if (turning.length > 0) await switchCounting(tx, at, turning, limits, programmes);
  return createSpending(at, {
    limits,
    used: turning.length > 0 ? await readUsed(tx, subjects, at) : used,
    parts: partsOf(moved),
  });
}

const hasProgrammePeriodLimit = ({ bin }: Card, programmes: ReadonlyMap<string, Programme>): boolean => {
  const programme = programmes.get(bin);
  return programme !== undefined && hasPeriodLimit(limitsOfProgramme(programme));
};

/** Whether the card's spending must be counted under these limits. */
const isLimited = (card: Card, limits: LimitsBySubject, programmes: ReadonlyMap<string, Programme>) =>
  hasProgrammePeriodLimit(card, programmes) ||
  [card.id, card.userId].some((subject) => {
    const those = limits.get(subject);
    return those !== undefined && hasAnyLimit(those);
  });

/**
 * Turns counting on or off for cards. Counts the spending of newly limited cards from their events since the month
 * began, and deletes the spending of the others. An event may cause this too, because a programme's limits may change
 * at any time.
 * @param cards locked; their `limited` is updated
 * @returns the spending of the limited cards
 */
export async function switchCounting(
  tx: Sql,
  at: Date,
  cards: Card[],
  limits: LimitsBySubject,
  programmes: ReadonlyMap<string, Programme>,
): Promise<SpendingChange[]> {
  let counted: SpendingChange[] = [];
  for (const card of cards) card.limited = isLimited(card, limits, programmes);
  for (const limited of [true, false]) {
    const those = cards.filter((card) => card.limited === limited);
    if (those.length === 0) continue;
    const ids = those.map(({ id }) => id);
    if (limited) counted = await spendingSinceMonth(tx, at, those);
    await replaceSpending(tx, ids, limited ? counted : []);
    await setLimited(tx, ids, limited);
  }
  return counted;
}

/** The spending of cards on each day since the month began, from their events. */
export async function spendingSinceMonth(sql: Sql, at: Date, cards: Card[]): Promise<SpendingChange[]> {
  const since = firstOfMonth(at);
  const moved = await movesSince(
    sql,
    cards.map(({ id }) => id),
    since,
  );
  const cardOf = new Map(moved.map(({ authorizationId, cardId }) => [authorizationId, cardId]));
  const currencies = new Map(cards.map(({ id, currency }) => [id, currency]));
  const all = [...partsOf(moved)].flatMap(([chain, parts]) => {
    const subjectId = cardOf.get(chain) ?? '';
    return parts.map((part) => ({ ...part, subjectId, currency: currencies.get(subjectId) ?? '' }));
  });
  return sumByDay(all.filter(({ day, amount }) => day >= since && amount.gt(0)));
}

/** Sums changes of the same subject, currency and day. */
export function sumByDay(changes: SpendingChange[]): SpendingChange[] {
  const sums = new Map<string, SpendingChange>();
  for (const change of changes) {
    const name = `${change.subjectId} ${change.currency} ${change.day}`;
    const sum = sums.get(name);
    sums.set(name, sum ? { ...sum, amount: sum.amount.plus(change.amount) } : change);
  }
  return [...sums.values()];
}

/** Spending by day and month, in the form of `readUsed`. */
export function usedFromChanges(changes: SpendingChange[], at: Date): Map<string, Used> {
  const used = new Map<string, Used>();
  for (const { subjectId, currency, day, amount } of changes) {
    const key = usedKey(subjectId, currency);
    const before = used.get(key) ?? NOTHING_USED;
    const today = day === dayOf(at) ? amount : ZERO;
    used.set(key, { day: before.day.plus(today), month: before.month.plus(amount) });
  }
  return used;
}

/** For each chain, the unreleased rest of the amount that each day added. */
function partsOf(moved: Moved[]): Map<string, Part[]> {
  const parts = new Map<string, Part[]>();
  for (const { authorizationId, type, day, amount } of moved) {
    const before = parts.get(authorizationId) ?? [];
    const after = type === 'cancel' ? releaseNewestFirst(before, amount).left : [...before, { day, amount }];
    parts.set(authorizationId, after);
  }
  return parts;
}

/** Deletes spending of months before the last one, because no limit counts it. @returns the number of rows */
export const forgetOldSpending = (database: Database, at: Date): Promise<number> =>
  inPortions(database, (tx, limit) => deleteSpending(tx, firstOfMonth(at, -1), limit));
