import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, notFound } from '../../kernel/errors';
import { isId, newId } from '../../kernel/ids';
import type { Decimal } from '../../kernel/money/money';
import type { Break } from './record';
import { closeBreaks, insertBreak, lockBreak, openBreaksOf, reopenBreak, resolve } from './store';

export { listBreaks } from './store';

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
  /** The kinds of which those that are wanted no more are closed by this. */
  own: readonly string[];
  wanted: readonly WantedBreak[];
  /** Shown once, until a person resolves them. */
  notices: readonly WantedBreak[];
  at: Date;
}

/** Who closes what has passed by itself. */
const ITSELF = 'system';

/** Opens what is to be seen of a subject and closes what has passed, so that its breaks are what is true of it now. */
export async function syncBreaks(
  tx: Sql,
  { tenantId, subject, own, wanted, notices, at }: BreaksOf,
): Promise<void> {
  const open = (await openBreaksOf(tx, subject)).filter(({ kind }) => own.includes(kind));
  const same = (one: WantedBreak) => (other: WantedBreak) =>
    one.kind === other.kind && one.detail === other.detail;
  const passed = open.filter((known) => !wanted.some(same(known as WantedBreak)));
  await closeBreaks(tx, { ids: passed.map(({ id }) => id), note: 'It has passed.', resolvedBy: ITSELF, at });
  for (const each of wanted) {
    const known = open.find(same(each) as (one: Break) => boolean);
    if (!known) await reopenBreak(tx, newBreak(tenantId, subject, each));
    else if (!known.amount?.eq(each.amount ?? 0)) await reopenBreak(tx, newBreak(tenantId, subject, each));
  }
  for (const each of notices) await insertBreak(tx, newBreak(tenantId, subject, each));
}

const newBreak = (
  tenantId: string | null,
  subject: string,
  { kind, detail, amount, currency }: WantedBreak,
) => ({
  ...{ id: newId('break'), tenantId, subject, kind, detail },
  amount: amount ?? null,
  currency: currency ?? null,
});
