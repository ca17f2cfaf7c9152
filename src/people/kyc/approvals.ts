import { isDeepStrictEqual } from 'node:util';
import type { Sql, Tx } from '../../kernel/db/database';
import { requireTenant } from '../../tenants/clients/operations';
import type { UserMeta } from '../users/meta';
import type { User } from '../users/record';
import { changeStatus } from './change-status';
import { type KycApproval, type KycDocument, kycStatusAfter } from './record';
import { newestPerSlot } from './rules';
import { documentsOfUser, insertApproval, newestApproval } from './store';

/** The approved version of a user's KYC, and the names of the fields and slots that differ from it now. */
export interface ApprovedKyc extends KycApproval {
  changed: string[];
}

/** Keeps the version that a completed review approves: the user's meta, and the documents that were submitted. */
export async function keepApproved(tx: Tx, user: User, submission: number): Promise<void> {
  const submitted = (await documentsOfUser(tx, user.id)).filter((each) => each.submission !== null);
  await insertApproval(tx, {
    userId: user.id,
    submission,
    meta: user.meta,
    documents: slotsOf(submitted),
  });
}

const slotsOf = (documents: readonly KycDocument[]) =>
  [...newestPerSlot(documents).values()].map(({ slot, id }) => ({ slot, documentId: id }));

/** The newest approved version; nothing before the first completed review. */
export async function approvedKyc(
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
  return { ...approval, changed: [...changedSlots, ...changedFields(approval.meta, user.meta)].sort() };
}

const changedFields = (before: UserMeta, after: UserMeta): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );

/**
 * The approved version where the present one differs, for whoever reviews the person: it holds personal data.
 * @returns nothing where nothing has changed
 */
export async function approvedToReveal(sql: Sql, user: User): Promise<object | undefined> {
  const approved = await approvedKyc(sql, user, await documentsOfUser(sql, user.id));
  if (!approved || approved.changed.length === 0) return undefined;
  const { changed, meta, documents } = approved;
  return { changed, meta, documents };
}

/** The names of what has changed since the approval, which are no personal data. */
export async function changedSinceApproval(sql: Sql, user: User): Promise<string[]> {
  return (await approvedKyc(sql, user, await documentsOfUser(sql, user.id)))?.changed ?? [];
}

/** Who changes a user's data. */
export interface ChangedBy {
  /** The tenant of a client; null for an admin. */
  reach: string | null;
  idempotencyKey?: string | null | undefined;
}

/** Whether a client's change of these fields asks for a new submission of the KYC, by `kycOnChange` of its tenant. */
export async function asksForSubmission(
  sql: Sql,
  user: User,
  meta: UserMeta,
  { reach }: ChangedBy,
): Promise<boolean> {
  return changedFields(user.meta, meta).length > 0 && (await isResubmittedOnChange(sql, user, reach));
}

async function isResubmittedOnChange(sql: Sql, user: User, reach: string | null): Promise<boolean> {
  if (reach === null || kycStatusAfter(user.kycStatus, 'changed_by_client') === undefined) return false;
  return (await requireTenant(sql, user.tenantId)).settings.kycOnChange === 'resubmit';
}

/** After a client has changed a user's fields. Both are the user whose row is locked. */
export async function noteChangedFields(tx: Tx, before: User, after: User, by: ChangedBy): Promise<User> {
  return (await asksForSubmission(tx, before, after.meta, by)) ? askForSubmission(tx, after, by) : after;
}

/** After a client has added a document of a user whose row is locked. */
export async function noteNewDocument(tx: Tx, user: User, by: ChangedBy): Promise<User> {
  return (await isResubmittedOnChange(tx, user, by.reach)) ? askForSubmission(tx, user, by) : user;
}

const REASON = 'The data was changed after it was approved.';

async function askForSubmission(tx: Tx, user: User, { idempotencyKey }: ChangedBy): Promise<User> {
  const status = kycStatusAfter(user.kycStatus, 'changed_by_client');
  if (!status) throw new Error(`a change leads nowhere from ${user.kycStatus}`);
  return changeStatus(tx, user, status, { reason: REASON, idempotencyKey });
}
