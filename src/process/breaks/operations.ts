import type { Sql, Tx } from '../../kernel/db/database';
import type { Write } from '../../kernel/db/writes';
import { conflict, notFound } from '../../kernel/errors';
import { isId, newId } from '../../kernel/ids';
import { type Decimal, ZERO } from '../../kernel/money/money';
import type { Break } from './record';
import {
  breaksWrite,
  closeBreaks,
  closePassed,
  closePassedUnder,
  insertBreak,
  lockBreak,
  reopenBreak,
  resolve,
} from './store';

export { breaksOf, countBreaks, findBreak, listBreaks, openBreaksOf, sumOpenBreaks } from './store';

/** Who closes what has passed by itself, and what is noted. */
const ITSELF = 'system';
const PASSED = 'It has passed.';

export interface NewBreak extends Pick<Break, 'tenantId' | 'kind' | 'subject' | 'detail'> {
  amount?: Decimal;
  currency?: string;
}

/**
 * Shows something to the operator that no rule can settle. Opened again with the same kind, subject and detail it is the
 * one that there is, resolved or not.
 */
export function openBreak(tx: Sql, given: NewBreak): Promise<Break> {
  return insertBreak(tx, { id: newId('break'), amount: null, currency: null, ...given });
}

/** The same for several that are new, with other writes of a transaction. */
export const shownBreaksWrite = (given: readonly NewBreak[]): Write | undefined =>
  breaksWrite(given.map((each) => ({ id: newId('break'), amount: null, currency: null, ...each })));

/**
 * The same for one that passes by itself: it is open again.
 * @param resolvedSince what a person has resolved after that stays resolved; absent: whatever was resolved is open again
 */
export const openBreakAgain = (tx: Sql, given: NewBreak, resolvedSince?: Date): Promise<void> =>
  reopenBreak(
    tx,
    { id: newId('break'), amount: null, currency: null, ...given },
    resolvedSince && { itself: ITSELF, resolvedSince },
  );

/** Those kinds of a subject have passed. */
export const closeBreaksOf = (
  sql: Sql,
  given: { subject: string; kinds: readonly string[]; at: Date },
): Promise<void> => closePassed(sql, { ...given, note: PASSED, resolvedBy: ITSELF });

/**
 * That kind has passed of whatever begins so.
 * @param except the subjects of which it has not
 */
export const closeBreaksUnder = (
  sql: Sql,
  given: { under: string; except: readonly string[]; kind: string; at: Date },
): Promise<void> => closePassedUnder(sql, { ...given, note: PASSED, resolvedBy: ITSELF });

/** @throws Problem 404, 409 `invalid_transition` when it has been resolved */
export async function resolveBreak(
  tx: Tx,
  given: { id: string; note: string; resolvedBy: string; at: Date },
): Promise<Break> {
  const found = isId('break', given.id) ? await lockBreak(tx, given.id) : undefined;
  if (!found) throw notFound('break');
  if (found.resolvedAt) throw conflict('invalid_transition', 'The break has been resolved.');
  return resolve(tx, given);
}

/** A break that stands for as long as what it shows. */
export interface WantedBreak {
  kind: string;
  detail: string;
  amount?: Decimal;
  currency?: string;
}

export interface BreaksOf {
  tenantId: string | null;
  subject: string;
  /** Those that are open and are closed by this where they are wanted no more. */
  open: readonly Break[];
  wanted: readonly WantedBreak[];
  /** Shown once, until a person resolves them. */
  notices: readonly WantedBreak[];
  at: Date;
}

/** Opens what is to be seen of a subject and closes what has passed, so that its breaks are what is true of it now. */
export async function syncBreaks(
  tx: Sql,
  { tenantId, subject, open, wanted, notices, at }: BreaksOf,
): Promise<void> {
  const isSame = (one: Shown, other: Shown) => one.kind === other.kind && one.detail === other.detail;
  const passed = open.filter((known) => !wanted.some((each) => isSame(each, known)));
  const changed = wanted.filter((each) => {
    const known = open.find((one) => isSame(one, each));
    return !known || !(known.amount ?? ZERO).eq(each.amount ?? ZERO);
  });
  await Promise.all([
    closeBreaks(tx, { ids: passed.map(({ id }) => id), note: PASSED, resolvedBy: ITSELF, at }),
    ...changed.map((each) => reopenBreak(tx, newBreak(tenantId, subject, each))),
    ...notices.map((each) => insertBreak(tx, newBreak(tenantId, subject, each))),
  ]);
}

type Shown = Pick<Break, 'kind' | 'detail'>;

const newBreak = (
  tenantId: string | null,
  subject: string,
  { kind, detail, amount, currency }: WantedBreak,
) => ({
  ...{ id: newId('break'), tenantId, subject, kind, detail },
  amount: amount ?? null,
  currency: currency ?? null,
});
