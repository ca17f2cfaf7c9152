import { type Decimal, ZERO } from '../../../../kernel/money/money';
import type { Card } from '../../../cards/record';
import type { Programme } from '../../../programmes/record';
import { type Limits, limitsOfProgramme, type Used } from '../../limits/record';
import type { Authorization } from '../../record';
import type { Level } from './limits';

/** The part of a chain that was authorized on a UTC day and not released. */
export interface Part {
  /** `2026-01-31` */
  day: string;
  amount: Decimal;
}

/** A change of what a card, or a user in a currency, spent on a day. */
export interface SpendingChange extends Part {
  subjectId: string;
  currency: string;
}

/** The limits and spending of the limited cards of a board and of their users. */
export interface SpendingState {
  /** By card or user. */
  limits: ReadonlyMap<string, Limits>;
  /** By {@link usedKey}. */
  used: ReadonlyMap<string, Used>;
  /** By authorization, for those that were opened before today. */
  parts: ReadonlyMap<string, Part[]>;
}

/** The spending of a board's limited cards, while the locks that guard it are held. */
export interface Spending {
  /** All limits of a card: its programme's, its own and its user's. */
  levels(card: Card, programme: Programme): Level[];
  /** Counts an authorization or a cancel. Called before the authorization's own counters change. */
  count(card: Card, authorization: Authorization, type: string, billing: Decimal): void;
  changes(): SpendingChange[];
}

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
const monthOf = (day: string): string => day.slice(0, 7);
export const usedKey = (subjectId: string, currency: string): string => `${subjectId} ${currency}`;
export const NOTHING_USED: Used = { day: ZERO, month: ZERO };

/** Takes a released amount from the newest parts first, so that no part falls below zero. */
export function releaseNewestFirst(parts: readonly Part[], amount: Decimal): { left: Part[]; taken: Part[] } {
  const left = [...parts];
  const taken: Part[] = [];
  let open = amount;
  while (open.gt(0)) {
    const newest = left.pop();
    if (!newest) throw new Error('more is released than was authorized');
    const { day } = newest;
    const most = newest.amount.lt(open) ? newest.amount : open;
    taken.push({ day, amount: most });
    if (most.lt(newest.amount)) left.push({ day, amount: newest.amount.minus(most) });
    open = open.minus(most);
  }
  return { left, taken };
}

export function createSpending(at: Date, { limits, ...state }: SpendingState): Spending {
  const today = dayOf(at);
  const used = new Map(state.used);
  const parts = new Map(state.parts);
  const changes = new Map<string, SpendingChange>();

  const usedOf = (subjectId: string, { currency }: Card) =>
    used.get(usedKey(subjectId, currency)) ?? NOTHING_USED;

  function partsOf({ id, billing, createdAt }: Authorization): Part[] {
    const known = parts.get(id);
    if (known) return known;
    if (dayOf(createdAt) < today) throw new Error(`${id}: the days of its amounts were not read`);
    return [{ day: today, amount: billing.authorized.minus(billing.reversed) }];
  }

  function change(subjectId: string, card: Card, { day, amount }: Part): void {
    const { day: onDay, month } = usedOf(subjectId, card);
    used.set(usedKey(subjectId, card.currency), {
      day: day === today ? onDay.plus(amount) : onDay,
      month: monthOf(day) === monthOf(today) ? month.plus(amount) : month,
    });
    const name = `${usedKey(subjectId, card.currency)} ${day}`;
    const before = changes.get(name)?.amount ?? ZERO;
    changes.set(name, { subjectId, currency: card.currency, day, amount: before.plus(amount) });
  }

  return {
    levels(card, programme) {
      const level = (subjectId: string, those: Limits | undefined) =>
        those ? [{ limits: those, used: usedOf(subjectId, card) }] : [];
      const byProgramme = level(card.id, limitsOfProgramme(programme));
      if (!card.limited) return byProgramme;
      const { id, userId } = card;
      return [...byProgramme, ...level(id, limits.get(id)), ...level(userId, limits.get(userId))];
    },
    count(card, authorization, type, billing) {
      if (!card.limited || billing.isZero()) return;
      const subjects = limits.has(card.userId) ? [card.id, card.userId] : [card.id];
      const move = (moved: Part[]) => {
        for (const part of moved) for (const subject of subjects) change(subject, card, part);
      };
      if (type === 'authorization') {
        const added = { day: today, amount: billing };
        parts.set(authorization.id, [...partsOf(authorization), added]);
        move([added]);
      } else if (type === 'cancel') {
        const { left, taken } = releaseNewestFirst(partsOf(authorization), billing);
        parts.set(authorization.id, left);
        move(taken.map(({ day, amount }) => ({ day, amount: amount.negated() })));
      }
    },
    changes: () => [...changes.values()].filter(({ amount }) => !amount.isZero()),
  };
}

/** The state for cards without limits. */
export const NOTHING_LIMITED: SpendingState = { limits: new Map(), used: new Map(), parts: new Map() };
