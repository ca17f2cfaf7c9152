import { databaseTime } from '../../../kernel/db/clock';
import type { Sql, Tx } from '../../../kernel/db/database';
import { conflict, invalid } from '../../../kernel/errors';
import type { Decimal } from '../../../kernel/money/money';
import { assertFits } from '../../../kernel/wire/schemas';
import { requireUser } from '../../../people/users/operations';
import { cardIdsOfUser, cardsOfUser, lockCards, requireCard } from '../../cards/operations';
import type { Card } from '../../cards/record';
import type { CardServices } from '../../services';
import type { Level } from '../rules/limits/limits';
import { NOTHING_USED, type SpendingChange, usedKey } from '../rules/limits/spending';
import { spendingSinceMonth, sumByDay, switchCounting, usedFromChanges } from './load-spending';
import { hasAnyLimit, type Limits, limitsNeverSet, limitsOfProgramme, type SubjectLimits } from './record';
import { readLimits, readUsed, replaceSpending, writeLimits } from './store';

/** Limits that replace those of a version. */
export interface GivenLimits extends Limits {
  version: number;
}

/** Limits before and after a change. */
export interface ChangedLimits {
  subject: { id: string; tenantId: string };
  before: SubjectLimits;
  after: SubjectLimits;
}

type Deps = Pick<CardServices, 'programmes'>;

/**
 * Replaces the limits of a card. The card's spending of this month counts at once.
 * @throws Problem 404, 400 naming the field, 409 `version_conflict`
 */
export async function setCardLimits(
  deps: Deps,
  tx: Tx,
  reach: string | null,
  id: string,
  given: GivenLimits,
): Promise<ChangedLimits> {
  const { currency } = await requireCard(tx, reach, id);
  for (const [field, value] of amountsOf(given)) assertFits(value, currency, field);
  assertConsistent(given);
  const cards = await lockedCards(tx, [id]);
  return (await replaceLimits(deps, tx, cards[0] as Card, given, cards)).changed;
}

/**
 * Replaces the limits of a user. They bound all cards of the user together, in each currency by itself.
 * @throws Problem 404, 400 naming the field, 409 `version_conflict`
 */
export async function setUserLimits(
  deps: Deps,
  tx: Tx,
  reach: string | null,
  id: string,
  given: GivenLimits,
): Promise<ChangedLimits> {
  assertConsistent(given);
  // The lock keeps new cards from being issued, which would not be marked as limited.
  const user = await requireUser(tx, reach, id, { lock: 'update' });
  const cards = await lockedCards(tx, await cardIdsOfUser(tx, id));
  const { changed, counted } = await replaceLimits(deps, tx, user, given, cards);
  // When the user has limits, all of their cards are limited and were therefore counted.
  await replaceSpending(tx, [id], hasAnyLimit(changed.after) ? ofSubject(id, counted) : []);
  return changed;
}

/**
 * The limits of a card, its programme and its user, and the spending of card and user in its currency.
 * @throws Problem 404
 */
export async function readCardLimits({ programmes }: Deps, sql: Sql, reach: string | null, id: string) {
  const card = await requireCard(sql, reach, id);
  const programme = (await programmes.of(sql, [card.bin])).get(card.bin);
  if (!programme) throw new Error(`there is no programme for BIN ${card.bin}`);
  const limits = await readLimits(sql, [card.id, card.userId]);
  const own = limits.get(card.id) ?? limitsNeverSet(card.id);
  const user = limits.get(card.userId) ?? limitsNeverSet(card.userId);
  const at = await databaseTime(sql);
  const used = card.limited
    ? await readUsed(sql, [card.id, card.userId], at)
    : usedFromChanges(await spendingSinceMonth(sql, at, [card]), at);
  const of = (subjectId: string) => used.get(usedKey(subjectId, card.currency)) ?? NOTHING_USED;
  const byProgramme = limitsOfProgramme(programme);
  const levels: Level[] = [
    { limits: byProgramme, used: of(card.id) },
    { limits: own, used: of(card.id) },
    { limits: user, used: of(card.userId) },
  ];
  return { card, own, programme: byProgramme, used: of(card.id), levels };
}

/** The limits of a user, and their spending in the currencies of their cards. @throws Problem 404 */
export async function readUserLimits(sql: Sql, reach: string | null, id: string) {
  await requireUser(sql, reach, id);
  const own = (await readLimits(sql, [id])).get(id) ?? limitsNeverSet(id);
  const cards = await cardsOfUser(sql, id);
  const at = await databaseTime(sql);
  const used = hasAnyLimit(own)
    ? await readUsed(sql, [id], at)
    : usedFromChanges(ofSubject(id, await spendingSinceMonth(sql, at, cards)), at);
  const currencies = [...new Set(cards.map(({ currency }) => currency))].sort();
  return {
    own,
    used: currencies.map((currency) => ({ currency, ...(used.get(usedKey(id, currency)) ?? NOTHING_USED) })),
  };
}

const ofSubject = (subjectId: string, changes: SpendingChange[]): SpendingChange[] =>
  sumByDay(changes.map((change) => ({ ...change, subjectId })));

/** Whether a new card of the user is limited. The caller holds the user's row. */
export async function hasLimits(sql: Sql, userId: string): Promise<boolean> {
  const limits = (await readLimits(sql, [userId])).get(userId);
  return limits !== undefined && hasAnyLimit(limits);
}

/** @param cards the subject's cards, or the card itself; locked, so that none of their events is under way */
async function replaceLimits(
  deps: Deps,
  tx: Tx,
  { id, tenantId }: { id: string; tenantId: string },
  { version, ...given }: GivenLimits,
  cards: Card[],
): Promise<{ changed: ChangedLimits; counted: SpendingChange[] }> {
  const subjects = [...new Set([id, ...cards.flatMap((card) => [card.id, card.userId])])];
  const limits = await readLimits(tx, subjects);
  const before = limits.get(id) ?? limitsNeverSet(id);
  if (before.version !== version)
    throw conflict(
      'version_conflict',
      `version must be ${before.version}, the version of the present limits.`,
      'version',
    );
  const after = { ...given, subjectId: id, version: version + 1 };
  await writeLimits(tx, after);
  limits.set(id, after);
  const programmes = await deps.programmes.of(tx, [...new Set(cards.map(({ bin }) => bin))]);
  const counted = await switchCounting(tx, await databaseTime(tx), cards, limits, programmes);
  return { changed: { subject: { id, tenantId }, before, after }, counted };
}

async function lockedCards(tx: Tx, ids: string[]): Promise<Card[]> {
  return [...(await lockCards(tx, ids)).values()];
}

function* amountsOf({
  perTransaction,
  perDay,
  perMonth,
  challengeAbove,
}: Limits): Generator<[string, Decimal]> {
  for (const [field, value] of Object.entries({ perTransaction, perDay, perMonth, challengeAbove }))
    if (value) yield [field, value];
}

/** @throws Problem 400 naming the field */
function assertConsistent({ allowedMccs, blockedMccs }: Pick<Limits, 'allowedMccs' | 'blockedMccs'>) {
  const both = allowedMccs.find((mcc) => blockedMccs.includes(mcc));
  if (both !== undefined)
    throw invalid(`allowedMccs must not name ${both}, which is blocked.`, 'allowedMccs');
}
