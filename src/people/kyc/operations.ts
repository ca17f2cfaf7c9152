import type { Sql, Tx } from '../../kernel/db/database';
import { precondition } from '../../kernel/errors';
import { NOTES_CONTEXT } from '../../kernel/security/sealed-columns';
import type { Services } from '../../services';
import { type Keys, personOf, requireUser, userSealer } from '../users/operations';
import { type KycStatus, type User } from '../users/record';
import { type ApprovedKyc, approvedKyc, keepApproved } from './approvals';
import { changeStatus } from './change-status';
import { assertSlotsFilled } from './documents/required-documents';
import {
  type KycDecision,
  type KycDocument,
  type KycReview,
  type KycSlot,
  requireKycTransition,
} from './record';
import { newestPerSlot } from './rules';
import {
  documentsOfUser,
  findNotes,
  insertDecision,
  insertReview,
  markSubmitted,
  newestReview,
  updateReview,
  upsertNotes,
} from './store';
import { lookAtReview, startReview } from './workflows';

export { awaitingReview, countAwaitingReview, decisionsOn, forgetTexts as forgetNotes } from './store';

/** A user's KYC as a whole. */
export interface Kyc {
  user: User;
  /** Newest first. */
  documents: KycDocument[];
  /** The newest review; undefined before the first submission. */
  review: KycReview | undefined;
  notes: string | undefined;
  /** The newest approved version; undefined before the first completed review. */
  approved: ApprovedKyc | undefined;
}

/** @param reach the tenant whose users may be found, or null for any tenant's @throws Problem 404 */
export async function readKyc(keys: Keys, sql: Sql, reach: string | null, userId: string): Promise<Kyc> {
  return kycOf(keys, sql, await requireUser(sql, reach, userId));
}

async function kycOf(keys: Keys, sql: Sql, user: User): Promise<Kyc> {
  const documents = await documentsOfUser(sql, user.id);
  const review = await newestReview(sql, user.id);
  const approved = await approvedKyc(keys, sql, user, documents);
  return { user, documents, review, notes: await notesOf(keys, sql, user), approved };
}

async function notesOf(keys: Keys, sql: Sql, user: User): Promise<string | undefined> {
  const sealed = await findNotes(sql, user.id);
  return sealed && userSealer(keys, user).open(sealed, NOTES_CONTEXT).toString();
}

/**
 * Submits the user's documents to a review, which an operator ends.
 * @throws Problem 404, 412 `documents_missing`, 409 `invalid_transition`
 */
export async function submitKyc(
  services: Pick<Services, 'commands' | 'keyring'>,
  tx: Tx,
  given: { reach: string | null; userId: string; idempotencyKey: string | undefined },
): Promise<Kyc> {
  const user = await requireUser(tx, given.reach, given.userId, { lock: 'update' });
  assertSlotsFilled(
    newestPerSlot(await documentsOfUser(tx, user.id)),
    personOf(services, user).meta['idType'],
  );
  const status = requireKycTransition(user.kycStatus, 'submitted');
  const { id: userId, tenantId } = user;
  const submission = ((await newestReview(tx, userId))?.submission ?? 0) + 1;
  const { idempotencyKey = null } = given;
  const review = await insertReview(tx, { userId, submission, tenantId, idempotencyKey });
  await markSubmitted(tx, userId, submission);
  const after = await changeStatus(tx, user, status, { idempotencyKey });
  services.commands.append(tx, [startReview(review)]);
  return kycOf(services, tx, after);
}

/** A decision on a user's KYC. */
export interface DecideKyc {
  reach: string | null;
  userId: string;
  decision: KycDecision;
  reason?: string | undefined;
  /** The admin's client id, or `operator:<name>` at the command line. */
  decidedBy: string;
}

/**
 * Records an operator's decision with its status change and event, and wakes the review that waits for it. May correct
 * an earlier decision. The caller writes the audit log.
 * @throws Problem 404, 409 `invalid_transition`
 */
export async function decideKyc(
  services: Pick<Services, 'commands' | 'keyring'>,
  tx: Tx,
  given: DecideKyc,
): Promise<{ before: KycStatus; after: Kyc }> {
  const user = await requireUser(tx, given.reach, given.userId, { lock: 'update' });
  const status = requireKycTransition(user.kycStatus, given.decision);
  const review = await newestReview(tx, user.id);
  if (!review) throw new Error('a KYC that can be decided must have a review');
  const after = await recordDecision(tx, user, review, { ...given, status });
  if (review.status === 'in_review') services.commands.append(tx, [lookAtReview(review)]);
  return { before: user.kycStatus, after: await kycOf(services, tx, after) };
}

/** Records the decision on a review. The caller holds the user's lock. */
export async function recordDecision(
  tx: Tx,
  user: User,
  review: KycReview,
  given: Pick<DecideKyc, 'decision' | 'reason' | 'decidedBy'> & { status: KycStatus },
): Promise<User> {
  const { decision, decidedBy, status, reason = null } = given;
  const { submission, idempotencyKey } = review;
  await insertDecision(tx, { userId: user.id, submission, decision, reason, decidedBy });
  await updateReview(tx, review, decision, reason);
  if (decision === 'completed') await keepApproved(tx, user, submission);
  return changeStatus(tx, user, status, { reason, idempotencyKey });
}

/** Replaces the operators' notes on a user. @throws Problem 404, 409 `invalid_transition` once the person was erased */
export async function setNotes(
  keys: Keys,
  tx: Tx,
  reach: string | null,
  userId: string,
  notes: string,
): Promise<Kyc> {
  const user = await requireUser(tx, reach, userId, { lock: 'update' });
  await upsertNotes(tx, user.id, userSealer(keys, user).seal(Buffer.from(notes), NOTES_CONTEXT));
  return kycOf(keys, tx, user);
}

/**
 * Requires completed KYC, for cardholders on a B2C BIN (`interface.md 4.2`).
 * @throws Problem 412 `kyc_not_completed`
 */
export async function requireKycCompleted(sql: Sql, userId: string): Promise<void> {
  const { kycStatus } = await requireUser(sql, null, userId);
  if (kycStatus !== 'completed') throw precondition('kyc_not_completed', "The user's KYC is not completed.");
}

/**
 * The documents of a submission to the reviewer (`interface.md 2.2`): the newest document of each slot that is not
 * rejected.
 * @param idType of the user's meta, because a passport needs no back
 * @throws Problem 412 `documents_missing`
 */
export async function documentsForSubmission(
  sql: Sql,
  userId: string,
  idType: unknown,
): Promise<{ slot: KycSlot; documentId: string }[]> {
  const newest = newestPerSlot(await documentsOfUser(sql, userId));
  assertSlotsFilled(newest, idType);
  return [...newest.values()].map(({ slot, id }) => ({ slot, documentId: id }));
}
