import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, notFound } from '../../kernel/errors';
import { isId, newId } from '../../kernel/ids';
import { isOperator } from './actors';
import type { Approval } from './record';
import {
  findApproval,
  insertApproval,
  lockApproval,
  type NewApproval,
  saveDecision,
  saveFirst,
} from './store';

export type { Approval, ConfigChange } from './record';
export {
  approvalsToDecide,
  approvedAbout,
  countApprovals,
  findApproval,
  listApprovals,
  pendingAbout,
} from './store';

/** Stores a request that waits for the approval of other operators. */
export const requestApproval = (tx: Tx, given: Asked): Promise<Approval> =>
  insertApproval(tx, {
    id: newId('approval'),
    changes: [],
    restsOn: null,
    needs: neededFor(given.requestedBy),
    ...given,
  });

type Asked = Omit<NewApproval, 'id' | 'needs' | 'changes' | 'restsOn'> &
  Partial<Pick<NewApproval, 'changes' | 'restsOn'>>;

/** A credential names no person, so two operators must approve its requests. */
const neededFor = (requestedBy: string): 1 | 2 => (isOperator(requestedBy) ? 1 : 2);

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
  /** `operator:<name>`. A requester can never approve, but may withdraw the request. */
  decidedBy: string;
  at: Date;
}

/**
 * Stores another operator's decision. The caller carries the approved action out in the same transaction, so a refused
 * action leaves the request pending.
 * @returns `pending` where a second operator must approve it too
 * @throws Problem 404; 409 `invalid_transition` for a decided approval, and for the requester or the first approver
 */
export async function decideApproval(
  tx: Tx,
  { id, status, note, decidedBy, at }: DecideApproval,
): Promise<Approval> {
  const found = isId('approval', id) ? await lockApproval(tx, id) : undefined;
  if (!found) throw notFound('approval');
  if (found.status !== 'pending')
    throw conflict('invalid_transition', `The approval is ${found.status} already.`);
  if (status === 'rejected') return saveDecision(tx, { id, status, note, decidedBy, decidedAt: at });
  if (found.requestedBy === decidedBy)
    throw conflict(
      'invalid_transition',
      'The operator who requested it cannot approve it: another operator must.',
    );
  if (found.firstBy === decidedBy)
    throw conflict(
      'invalid_transition',
      'You have approved it already: another operator must approve it too.',
    );
  if (found.needs === 2 && found.firstBy === null)
    return saveFirst(tx, { id, firstBy: decidedBy, firstAt: at });
  return saveDecision(tx, { id, status, note, decidedBy, decidedAt: at });
}
