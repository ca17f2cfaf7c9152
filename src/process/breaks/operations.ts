import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, notFound } from '../../kernel/errors';
import { isId, newId } from '../../kernel/ids';
import type { Decimal } from '../../kernel/money/money';
import { type Break, findBreak, insertBreak, resolve } from './store';

export { type Break, breakRecord, listBreaks } from './store';

export interface NewBreak {
  /** null where the money belongs to nobody that we know. */
  tenantId: string | null;
  /** What went wrong, as a code: `deposit_unmatched`, `refund_failed` … */
  kind: string;
  /** The record, or the party's object, that it is about. */
  subject: string;
  /** What tells one from another of its kind and subject, and tells the operator what to look at; no personal data. */
  detail: string;
  amount?: Decimal;
  currency?: string;
}

/**
 * Shows something to the operator that no rule can settle. Opened again with the same kind, subject and detail it is the
 * one that there is, resolved or not.
 */
export function openBreak(tx: Sql, given: NewBreak): Promise<Break> {
  return insertBreak(tx, { id: newId('break'), ...given });
}

/** @throws Problem 404, 409 `invalid_transition` when it has been resolved */
export async function resolveBreak(
  tx: Tx,
  given: { id: string; note: string; resolvedBy: string; at: Date },
): Promise<Break> {
  const found = isId('break', given.id) ? await findBreak(tx, given.id, 'update') : undefined;
  if (!found) throw notFound('break');
  if (found.resolvedAt) throw conflict('invalid_transition', 'The break has been resolved.');
  return resolve(tx, given);
}
