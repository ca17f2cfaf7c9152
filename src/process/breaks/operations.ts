import type { Sql, Tx } from '../../kernel/db/database';
import { type Write, writeTogether } from '../../kernel/db/writes';
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
  reopenedBreaksWrite,
  resolve,
} from './store';

export { breaksOf, countBreaks, findBreak, listBreaks, openBreaksOf, sumOpenBreaks } from './store';

/** Actor and note of a break that closes automatically, because its cause is gone. */
const ITSELF = 'system';
const PASSED = 'It has passed.';

export interface NewBreak extends Pick<Break, 'tenantId' | 'kind' | 'subject' | 'detail'> {
  amount?: Decimal;
  currency?: string;
}

/**
 * Opens a break for a person. Idempotent by kind, subject and detail: an existing break stays as it is, even if
 * resolved.
 */
export function openBreak(tx: Sql, given: NewBreak): Promise<Break> {
  return insertBreak(tx, { id: newId('break'), amount: null, currency: null, ...given });
}

/** As {@link openBreak} for several breaks, written together with other writes. */
export const shownBreaksWrite = (given: readonly NewBreak[]): Write | undefined =>
  breaksWrite(given.map((each) => ({ id: newId('break'), amount: null, currency: null, ...each })));

/**
 * As {@link openBreak}, but reopens a resolved break.
 * @param resolvedSince a break that a person resolved after this time stays resolved; absent: every break reopens
 */
export const openBreakAgain = (tx: Sql, given: NewBreak, resolvedSince?: Date): Promise<void> =>
  reopenBreak(
    tx,
    { id: newId('break'), amount: null, currency: null, ...given },
    resolvedSince && { itself: ITSELF, resolvedSince },
  );

/** Closes a subject's open breaks of these kinds, because their causes are gone. */
export const closeBreaksOf = (
  sql: Sql,
  given: { subject: string; kinds: readonly string[]; at: Date },
): Promise<void> => closePassed(sql, { ...given, note: PASSED, resolvedBy: ITSELF });

/**
 * Closes the open breaks of a kind whose subjects have a prefix.
 * @param except subjects whose cause remains
 */
export const closeBreaksUnder = (
  sql: Sql,
  given: { under: string; except: readonly string[]; kind: string; at: Date },
): Promise<void> => closePassedUnder(sql, { ...given, note: PASSED, resolvedBy: ITSELF });

/** @throws Problem 404; 409 `invalid_transition` when it is resolved already */
export async function resolveBreak(
  tx: Tx,
  given: { id: string; note: string; resolvedBy: string; at: Date },
): Promise<Break> {
  const found = isId('break', given.id) ? await lockBreak(tx, given.id) : undefined;
  if (!found) throw notFound('break');
  assertOpen(found);
  return resolve(tx, given);
}

/** @throws Problem 409 `invalid_transition` when the break is resolved */
export function assertOpen({ resolvedAt }: Pick<Break, 'resolvedAt'>): void {
  if (resolvedAt) throw conflict('invalid_transition', 'The break is resolved already.');
}

/** A break that stays open while its cause exists. */
export interface WantedBreak {
  kind: string;
  detail: string;
  amount?: Decimal;
  currency?: string;
}

export interface BreaksOf {
  tenantId: string | null;
  subject: string;
  /** The open breaks. A break that is not in `wanted` is closed. */
  open: readonly Break[];
  wanted: readonly WantedBreak[];
  /** Opened once, until a person resolves them. */
  notices: readonly WantedBreak[];
  at: Date;
}

/** Opens and closes the breaks of subjects, so that they match their present causes. */
export async function syncBreaks(tx: Sql, ...all: readonly BreaksOf[]): Promise<void> {
  const passed = all.flatMap(({ open, wanted }) =>
    open.filter((known) => !wanted.some((each) => isSame(each, known))),
  );
  const changed = all.flatMap(({ tenantId, subject, open, wanted }) =>
    wanted
      .filter((each) => {
        const known = open.find((one) => isSame(one, each));
        return !known || !(known.amount ?? ZERO).eq(each.amount ?? ZERO);
      })
      .map((each) => newBreak(tenantId, subject, each)),
  );
  const noticed = all.flatMap(({ tenantId, subject, notices }) =>
    notices.map((each) => newBreak(tenantId, subject, each)),
  );
  const [first] = all;
  await Promise.all([
    first &&
      closeBreaks(tx, { ids: passed.map(({ id }) => id), note: PASSED, resolvedBy: ITSELF, at: first.at }),
    writeTogether(tx, [reopenedBreaksWrite(changed), breaksWrite(noticed)]),
  ]);
}

const isSame = (one: Shown, other: Shown) => one.kind === other.kind && one.detail === other.detail;

type Shown = Pick<Break, 'kind' | 'detail'>;

const newBreak = (
  tenantId: string | null,
  subject: string,
  { kind, detail, amount, currency }: WantedBreak,
) => ({
  id: newId('break'),
  tenantId,
  subject,
  kind,
  detail,
  amount: amount ?? null,
  currency: currency ?? null,
});
