import type { Sql, Tx } from '../../kernel/db/database';
import { alreadyExists, conflict, notFound } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { endStop, noteStop } from '../../process/stops/operations';
import type { Stopping } from '../../process/stops/record';
import { mergedMeta, type UserMeta } from './meta';
import { type KycStatus, type User, type UserStatus } from './record';
import type { UserServices } from './services';
import {
  findUser,
  insertUser,
  type UserLock,
  updateKycStatus,
  updateMeta,
  updateOperatorBlock,
  updateStatus,
} from './store';

export { KYC_STATUSES, type KycStatus, type User } from './record';

/** @throws Problem 400 `ErrAlreadyExists` when the tenant has a user with that `externalId` */
export async function createUser(
  tx: Tx,
  tenantId: string,
  given: { externalId?: string; meta?: UserMeta },
): Promise<User> {
  const user = await insertUser(tx, {
    id: newId('user'),
    tenantId,
    externalId: given.externalId ?? null,
    meta: given.meta ?? {},
  });
  if (!user) throw alreadyExists('Another user has this externalId.', 'externalId');
  return user;
}

/**
 * @param reach the tenant whose users may be found, or null for every tenant's
 * @throws Problem 404, naming the field when the id came in the body
 */
export async function requireUser(
  sql: Sql,
  reach: string | null,
  id: string,
  field?: string,
  lock: UserLock = 'none',
): Promise<User> {
  const user = await findUser(sql, reach, id, lock);
  if (!user) throw notFound('user', field);
  return user;
}

/** @throws Problem 409 `user_blocked`: nothing new is issued for, or funded to, a blocked user */
export function assertActive(user: User, field?: string): void {
  if (user.status === 'blocked') throw conflict('user_blocked', 'The user is blocked.', field);
}

/**
 * The user, who stays active to the end of the transaction.
 * @throws Problem 404, 409 `user_blocked`
 */
export async function requireActiveUser(
  sql: Sql,
  reach: string | null,
  id: string,
  field?: string,
): Promise<User> {
  const user = await requireUser(sql, reach, id, field, 'share');
  assertActive(user, field);
  return user;
}

/**
 * Merges fields into a user's meta; null removes one.
 * @throws Problem 404, 400 when the result is larger than 16 KiB
 */
export async function patchMeta(
  tx: Tx,
  reach: string | null,
  id: string,
  patch: UserMeta,
): Promise<{ before: User; after: User }> {
  const before = await requireUser(tx, reach, id, undefined, 'update');
  return { before, after: await updateMeta(tx, before.id, mergedMeta(before.meta, patch)) };
}

/** Writes corrected values back to the meta of a user whose row is locked. */
export async function correctMeta(tx: Tx, user: User, corrected: UserMeta): Promise<void> {
  const changed = Object.entries(corrected).some(([field, value]) => user.meta[field] !== value);
  if (changed) await updateMeta(tx, user.id, { ...user.meta, ...corrected });
}

/**
 * The client's own block of a user, whose cards decline from then on, and its end. Setting the same again changes the reason
 * alone. The operator's block stands beside it.
 * @throws Problem 404, 409 `status_not_editable` for who is to be active while the operator's block stands
 */
export async function setUserStatus(
  { blockCardsOf }: Pick<UserServices, 'blockCardsOf'>,
  tx: Tx,
  reach: string | null,
  id: string,
  status: UserStatus,
  reason: string | undefined,
): Promise<{ before: User; after: User }> {
  const before = await requireUser(tx, reach, id, undefined, 'update');
  if (status === 'active' && before.operatorBlocked)
    throw conflict(
      'status_not_editable',
      'The user is blocked by the operator, who alone ends that.',
      'status',
    );
  await blockCardsOf(tx, before.id, status === 'blocked');
  return { before, after: await updateStatus(tx, before.id, status, reason ?? null) };
}

/**
 * The operator's block of a user, and its end; the client can neither lift it nor overwrite it, and its own goes on beside it.
 * @throws Problem 404, 409 `invalid_transition` when the operator has blocked them already, or has not
 */
export async function setOperatorBlock(
  { blockCardsOf }: Pick<UserServices, 'blockCardsOf'>,
  tx: Tx,
  id: string,
  blocked: boolean,
  stopping: Stopping,
): Promise<{ before: User; after: User }> {
  const before = await requireUser(tx, null, id, undefined, 'update');
  const { tenantId } = before;
  if (blocked) await noteStop(tx, { kind: 'user', subject: id, tenantId, ...stopping });
  else await endStop(tx, 'user', id);
  const after = await updateOperatorBlock(tx, id, blocked);
  await blockCardsOf(tx, id, blocked || before.clientStatus === 'blocked');
  return { before, after };
}

/** What the KYC domain has decided of a user whose row is locked; its rules say where a status may lead. */
export const setKycStatus = (tx: Tx, user: User, status: KycStatus): Promise<User> =>
  updateKycStatus(tx, user.id, status);
