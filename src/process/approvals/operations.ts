import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, notFound } from '../../kernel/errors';
import { isId, newId } from '../../kernel/ids';
import type { Keyring } from '../../kernel/security/keyring';
import { isOperator } from './actors';
import { assertTwoPeople } from './one-hand';
import type { Approval, DecideApproval } from './record';
import { isSealed, sealOf } from './seal';
import { findApproval, insertApproval, lockApproval, type NewApproval, saveDecision } from './store';

export type { Approval, ConfigChange } from './record';
export {
  approvalsToDecide,
  approvedAbout,
  countApprovals,
  findApproval,
  listApprovals,
  pendingAbout,
} from './store';

/**
 * Stores a request that waits for the approval of other operators. The request is sealed, so that nobody who only writes to
 * the database asks in an operator's name.
 * @param keyring null where a program asks
 */
export function requestApproval(tx: Tx, keyring: Keyring | null, given: Asked): Promise<Approval> {
  const asked = {
    id: newId('approval'),
    changes: [],
    restsOn: null,
    needs: neededFor(given.requestedBy),
    ...given,
  };
  return insertApproval(tx, { ...asked, seal: keyring && sealOf(keyring, asked) });
}

type Asked = Omit<NewApproval, 'id' | 'needs' | 'changes' | 'restsOn' | 'seal'> &
  Partial<Pick<NewApproval, 'changes' | 'restsOn'>>;

/** @throws Problem 409 where the seal of an operator's request is missing or wrong */
export function assertSealed(keyring: Keyring, asked: Approval): void {
  if (isOperator(asked.requestedBy) && !isSealed(keyring, asked))
    throw conflict(
      'invalid_transition',
      `${asked.requestedBy} has not asked for this through the product: reject it, and tell those who guard the database.`,
    );
}

/** A credential names no person, so two operators must approve its requests. */
const neededFor = (requestedBy: string): 1 | 2 => (isOperator(requestedBy) ? 1 : 2);

/** @throws Problem 404 */
export async function requireApproval(sql: Sql, id: string): Promise<Approval> {
  const found = isId('approval', id) ? await findApproval(sql, id) : undefined;
  if (!found) throw notFound('approval');
  return found;
}

/**
 * Stores another operator's decision. The caller carries the approved action out in the same transaction, so a refused
 * action leaves the request pending.
 * @returns `pending` where a second operator must approve it too
 * @throws Problem 404; 409 `invalid_transition` for a decided approval, and for the requester, the first approver and
 *   operators of one hand with them
 */
export async function decideApproval(tx: Tx, decided: DecideApproval): Promise<Approval> {
  const { id, status, decidedBy } = decided;
  const found = isId('approval', id) ? await lockApproval(tx, id) : undefined;
  if (!found) throw notFound('approval');
  if (found.status !== 'pending')
    throw conflict('invalid_transition', `The approval is ${found.status} already.`);
  if (status === 'rejected') return saveDecision(tx, decided);
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
  await assertTwoPeople(tx, decidedBy, found.requestedBy);
  if (found.firstBy !== null) await assertTwoPeople(tx, decidedBy, found.firstBy);
  return saveDecision(tx, decided);
}
