import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, notFound } from '../../kernel/errors';
import { isId, newId } from '../../kernel/ids';
import type { Approval } from './record';
import { findApproval, insertApproval, lockApproval, type NewApproval, saveDecision } from './store';

export type { Approval } from './record';
export { approvalsToDecide, countApprovals, listApprovals } from './store';

/** Writes down what an operator asks for; it waits for another one. */
export const requestApproval = (tx: Tx, given: Omit<NewApproval, 'id'>): Promise<Approval> =>
  insertApproval(tx, { id: newId('approval'), ...given });

/** @throws Problem 404 */
export async function requireApproval(sql: Sql, id: string): Promise<Approval> {
  const found = isId('approval', id) ? await findApproval(sql, id) : undefined;
  if (!found) throw notFound('approval');
  return found;
}

export interface DecideApproval {
  id: string;
  status: 'approved' | 'rejected';
  note: string | null;
  /** `operator:<name>`. Who asked never approves; he may take back what he asked for. */
  decidedBy: string;
  at: Date;
}

/**
 * Another operator's decision, once. What was approved is carried out by the caller in this same transaction: where that is
 * refused, it still waits.
 * @throws Problem 404; 409 `invalid_transition` when it was decided, or is approved by who asked
 */
export async function decideApproval(
  tx: Tx,
  { id, status, note, decidedBy, at }: DecideApproval,
): Promise<Approval> {
  const found = isId('approval', id) ? await lockApproval(tx, id) : undefined;
  if (!found) throw notFound('approval');
  if (found.status !== 'pending')
    throw conflict('invalid_transition', `The approval is ${found.status} already.`);
  if (status === 'approved' && found.requestedBy === decidedBy)
    throw conflict('invalid_transition', 'Who asked for it cannot approve it: that takes another operator.');
  return saveDecision(tx, { id, status, note, decidedBy, decidedAt: at });
}
