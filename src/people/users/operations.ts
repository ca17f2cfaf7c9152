import { type Locking } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { alreadyExists, conflict, notFound } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import type { Sealer } from '../../kernel/security/sealer';
import { endStop, noteStop } from '../../process/stops/operations';
import type { Stopping } from '../../process/stops/record';
import { mergedMeta, type UserMeta } from './meta';
import { type KycStatus, type Person, type User, type UserStatus } from './record';
import { type Keys, personOf, sealedColumns, sealMeta, userSealer } from './sealed';
import type { UserServices } from './services';
import { findUser, insertUser, updateUser } from './store';

export { KYC_STATUSES, type KycStatus, type Person, type User } from './record';
export { type Keys, openMeta, personOf, userSealer } from './sealed';
export { findUsers, forgetPerson as forgetUser, foundUsers, listUsers, SHOWN_STATUS } from './store';

/** @throws Problem 400 `ErrAlreadyExists` when the tenant has another user with the `externalId` */
export async function createUser(
  keys: Keys,
  tx: Tx,
  tenantId: string,
  given: { externalId?: string; meta?: UserMeta },
): Promise<User> {
  const id = newId('user');
  const user = await insertUser(tx, {
    id,
    tenantId,
    externalId: given.externalId ?? null,
    ...sealedColumns(keys, id, given.meta ?? {}),
  });
  if (!user) throw alreadyExists('Another user has this externalId.', 'externalId');
  return user;
}

/**
 * @param reach the tenant whose users may be found, or null for any tenant's
 * @param field the body field that held the id, for the error
 * @throws Problem 404
 */
export async function requireUser(
  sql: Sql,
  reach: string | null,
  id: string,
  { field, ...locking }: Locking & { field?: string | undefined } = {},
): Promise<User> {
  const user = await findUser(sql, reach, id, locking);
  if (!user) throw notFound('user', field);
  return user;
}

/** Seals and opens under the user's own key. Undefined once the person was erased. @throws Problem 404 */
export async function sealerOfUser(keys: Keys, sql: Sql, id: string): Promise<Sealer | undefined> {
  const user = await requireUser(sql, null, id);
  return user.dataKey === null ? undefined : userSealer(keys, user);
}

/** The user with opened personal data. @throws Problem as {@link requireUser} */
export const requirePerson = async (keys: Keys, ...given: Parameters<typeof requireUser>): Promise<Person> =>
  personOf(keys, await requireUser(...given));

/** @throws Problem 409 `user_blocked`, because nothing new is issued for or funded to a blocked user */
export function assertActive(user: User, field?: string): void {
  if (user.status === 'blocked') throw conflict('user_blocked', 'The user is blocked.', field);
}

/**
 * Finds an active user and keeps them active until the end of the transaction, by a share lock.
 * @throws Problem 404, 409 `user_blocked`
 */
export async function requireActiveUser(
  sql: Sql,
  reach: string | null,
  id: string,
  field?: string,
): Promise<User> {
  const user = await requireUser(sql, reach, id, { field, lock: 'share' });
  assertActive(user, field);
  return user;
}

/**
 * Merges fields into a user's meta; null removes a field.
 * @throws Problem 404, 400 when the result is larger than 16 KiB
 */
export async function patchMeta(
  keys: Keys,
  tx: Tx,
  reach: string | null,
  id: string,
  patch: UserMeta,
): Promise<{ before: Person; after: Person }> {
  const before = await requirePerson(keys, tx, reach, id, { lock: 'update' });
  return { before, after: await saveMeta(keys, tx, before, mergedMeta(before.meta, patch)) };
}

async function saveMeta(keys: Keys, tx: Tx, person: Person, meta: UserMeta): Promise<Person> {
  return personOf(keys, await updateUser(tx, person.id, { metaSealed: sealMeta(keys, person, meta) }));
}

/** Writes corrected values to the meta of a locked user. */
export async function correctMeta(keys: Keys, tx: Tx, person: Person, corrected: UserMeta): Promise<void> {
  const changed = Object.entries(corrected).some(([field, value]) => person.meta[field] !== value);
  if (changed) await saveMeta(keys, tx, person, { ...person.meta, ...corrected });
}

/**
 * Sets or removes the client's block of a user, whose cards decline while blocked. Setting the same status again
 * changes only the reason. The operator's block is independent of it.
 * @throws Problem 404, 409 `status_not_editable` for `active` while the operator's block is set
 */
export async function setUserStatus(
  { blockCardsOf }: Pick<UserServices, 'blockCardsOf'>,
  tx: Tx,
  reach: string | null,
  id: string,
  status: UserStatus,
  reason: string | undefined,
): Promise<{ before: User; after: User }> {
  const before = await requireUser(tx, reach, id, { lock: 'update' });
  if (status === 'active' && before.operatorBlocked)
    throw conflict(
      'status_not_editable',
      'The user is blocked by the operator. Only the operator can unblock them.',
      'status',
    );
  await blockCardsOf(tx, before.id, status === 'blocked');
  return { before, after: await updateUser(tx, before.id, { status, statusReason: reason ?? null }) };
}

/**
 * Sets or removes the operator's block of a user. The client cannot change it, and the client's own block is
 * independent of it.
 * @throws Problem 404, 409 `invalid_transition` when the operator's block is already set, or not set
 */
export async function setOperatorBlock(
  { blockCardsOf }: Pick<UserServices, 'blockCardsOf'>,
  tx: Tx,
  id: string,
  blocked: boolean,
  stopping: Stopping,
): Promise<{ before: User; after: User }> {
  const before = await requireUser(tx, null, id, { lock: 'update' });
  const { tenantId } = before;
  if (blocked) await noteStop(tx, { kind: 'user', subject: id, tenantId, ...stopping });
  else await endStop(tx, 'user', id);
  const after = await updateUser(tx, id, { operatorBlocked: blocked });
  await blockCardsOf(tx, id, blocked || before.clientStatus === 'blocked');
  return { before, after };
}

/** Stores the KYC status of a locked user. The KYC domain's rules decide which status may follow. */
export const setKycStatus = (tx: Tx, user: User, status: KycStatus): Promise<User> =>
  updateUser(tx, user.id, { kycStatus: status });
