import type { Tx } from '../../kernel/db/database';
import { appendEvents } from '../../kernel/outbox/events';
import { requireUser } from '../users/operations';
import { type User } from '../users/record';
import { emailHeld, isEmailConflict } from './applicant';
import { statusChangedEvent } from './events';
import { requireCardholder } from './operations';
import { type Cardholder, type CardholderTrigger, requireTransition } from './record';
import { lockRow, saveCardholder } from './store';

/** Locks the linked user, if any, and then the cardholder. @throws Problem 404 */
export async function lockWithUser(
  tx: Tx,
  reach: string | null,
  id: string,
): Promise<{ cardholder: Cardholder; user: User | undefined }> {
  const { userId } = await requireCardholder(tx, reach, id);
  const user = userId === null ? undefined : await requireUser(tx, null, userId, { lock: 'update' });
  return { cardholder: await lockedCardholder(tx, id), user };
}

/** Locks a cardholder and reads it under the lock. @throws Problem 404 */
export async function lockedCardholder(tx: Tx, id: string): Promise<Cardholder> {
  await lockRow(tx, id);
  return requireCardholder(tx, null, id);
}

/** A cardholder before and after a change. */
export interface Change {
  before: Cardholder;
  after: Cardholder;
}

/** Changes besides the status. */
export type FieldChanges = Partial<
  Pick<
    Cardholder,
    | 'description'
    | 'reviewedAt'
    | 'documents'
    | 'emailHash'
    | 'emailSealed'
    | 'maskedName'
    | 'maskedEmail'
    | 'idempotencyKey'
    | 'submissionSent'
  >
>;

/**
 * Moves a locked cardholder along a row of the table, and tells the tenant when the status has changed. A description
 * that still applies must be among the changes, because it is removed otherwise.
 * @throws Problem 409; 400 `ErrAlreadyExists` when another cardholder on the BIN has the email
 */
export async function applyTransition(
  tx: Tx,
  before: Cardholder,
  on: CardholderTrigger,
  changes: FieldChanges = {},
): Promise<Cardholder> {
  const status = requireTransition(before.status, on);
  const submitted = status === 'wait_audit' && before.status !== 'wait_audit';
  const submission = submitted ? { submissions: before.submissions + 1, submissionSent: false } : {};
  const after = await save(tx, { ...before, description: null, ...submission, ...changes, status });
  if (status !== before.status)
    await appendEvents(tx, [statusChangedEvent(after, before.status, after.idempotencyKey)]);
  return after;
}

/** @throws Problem 400 `ErrAlreadyExists` */
export async function save(tx: Tx, changed: Cardholder): Promise<Cardholder> {
  try {
    return await saveCardholder(tx, changed);
  } catch (error) {
    throw isEmailConflict(error) ? emailHeld() : error;
  }
}
