import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, notFound } from '../../kernel/errors';
import { isId, newId } from '../../kernel/ids';
import type { Decimal } from '../../kernel/money/money';
import type { Break } from './record';
import { insertBreak, lockBreak, resolve } from './store';

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
