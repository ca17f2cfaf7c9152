import { isDeepStrictEqual } from 'node:util';
import type { Sql, Tx } from '../../kernel/db/database';
import { requireTenant } from '../../tenants/clients/operations';
import type { UserMeta } from '../users/meta';
import { type Keys, openMeta, personOf } from '../users/operations';
import type { Person, User } from '../users/record';
import { changeStatus } from './change-status';
import { type KycApproval, type KycDocument, kycStatusAfter } from './record';
import { newestPerSlot } from './rules';
import { documentsOfUser, insertApproval, newestApproval } from './store';

/** The approved version of a user's KYC, with the names of the fields and slots that have changed since. */
export interface ApprovedKyc extends Omit<KycApproval, 'metaSealed'> {
  meta: UserMeta;
  changed: string[];
}

/** Keeps the version that a completed review approves: the user's meta and the submitted documents. */
export async function keepApproved(tx: Tx, user: User, submission: number): Promise<void> {
  const submitted = (await documentsOfUser(tx, user.id)).filter((each) => each.submission !== null);
  if (user.metaSealed === null) return; // The person was erased during the review.
  await insertApproval(tx, {
    userId: user.id,
    submission,
    metaSealed: user.metaSealed,
    documents: slotsOf(submitted),
  });
}

const slotsOf = (documents: readonly KycDocument[]) =>
  [...newestPerSlot(documents).values()].map(({ slot, id }) => ({ slot, documentId: id }));

/** The newest approved version; undefined before the first completed review. */
export async function approvedKyc(
  keys: Keys,
  sql: Sql,
  user: User,
  documents: readonly KycDocument[],
): Promise<ApprovedKyc | undefined> {
  const approval = await newestApproval(sql, user.id);
  if (!approval) return undefined;
  const present = new Map(slotsOf(documents).map(({ slot, documentId }) => [slot, documentId]));
  const slots = new Map(approval.documents.map(({ slot, documentId }) => [slot, documentId]));
  const changedSlots = [...new Set([...present.keys(), ...slots.keys()])].filter(
    (slot) => present.get(slot) !== slots.get(slot),
  );
  const { metaSealed, ...approved } = approval;
  const meta = openMeta(keys, user, metaSealed);
  const fields = changedFields(meta, personOf(keys, user).meta);
  return { ...approved, meta, changed: [...changedSlots, ...fields].sort() };
}

const changedFields = (before: UserMeta, after: UserMeta): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );

/**
 * The approved version, for the reviewer of a person whose data has changed since. Holds personal data.
 * @returns undefined when nothing has changed
 */
export async function approvedToReveal(keys: Keys, sql: Sql, user: User): Promise<object | undefined> {
  const approved = await approvedKyc(keys, sql, user, await documentsOfUser(sql, user.id));
  if (!approved || approved.changed.length === 0) return undefined;
  const { changed, meta, documents } = approved;
  return { changed, meta, documents };
}

/** A person's present data, with the approved version if it differs. For an operator who reviews the person. */
export async function personToReveal(keys: Keys, sql: Sql, user: User): Promise<object> {
  const kycApproved = await approvedToReveal(keys, sql, user);
  const { meta } = personOf(keys, user);
  return kycApproved ? { ...meta, kycApproved } : meta;
}

/** The names of fields and slots that have changed since the approval. Names are not personal data. */
export async function changedSinceApproval(keys: Keys, sql: Sql, user: User): Promise<string[]> {
  return (await approvedKyc(keys, sql, user, await documentsOfUser(sql, user.id)))?.changed ?? [];
}

/** The caller that changes a user's data. */
export interface ChangedBy {
  /** The tenant of a client; null for an admin. */
  reach: string | null;
  idempotencyKey?: string | null | undefined;
}

/** Whether a client's change requires a new submission of the KYC, by the tenant's setting `kycOnChange`. */
export async function requiresNewSubmission(
  sql: Sql,
  user: Person,
  meta: UserMeta,
  { reach }: ChangedBy,
): Promise<boolean> {
  return changedFields(user.meta, meta).length > 0 && (await isResubmittedOnChange(sql, user, reach));
}

async function isResubmittedOnChange(sql: Sql, user: User, reach: string | null): Promise<boolean> {
  if (reach === null || kycStatusAfter(user.kycStatus, 'changed_by_client') === undefined) return false;
  return (await requireTenant(sql, user.tenantId)).settings.kycOnChange === 'resubmit';
}

/**
 * Requires a new submission after a client's change of a user's fields, if the tenant's setting says so. The user is
 * locked.
 */
export async function noteChangedFields(tx: Tx, before: Person, after: Person, by: ChangedBy): Promise<User> {
  return (await requiresNewSubmission(tx, before, after.meta, by)) ? reopenKyc(tx, after, by) : after;
}

/** Requires a new submission after a client's new document, if the tenant's setting says so. The user is locked. */
export async function noteNewDocument(tx: Tx, user: User, by: ChangedBy): Promise<User> {
  return (await isResubmittedOnChange(tx, user, by.reach)) ? reopenKyc(tx, user, by) : user;
}

const REASON = 'The data was changed after it was approved.';

async function reopenKyc(tx: Tx, user: User, { idempotencyKey }: ChangedBy): Promise<User> {
  const status = kycStatusAfter(user.kycStatus, 'changed_by_client');
  if (!status) throw new Error(`a KYC that is ${user.kycStatus} has no transition changed_by_client`);
  return changeStatus(tx, user, status, { reason: REASON, idempotencyKey });
}
