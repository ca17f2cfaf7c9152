import type { Tx } from '../../kernel/db/database';
import { conflict, precondition } from '../../kernel/errors';
import { noteChangedFields, requiresNewSubmission } from '../kyc/approvals';
import { mergedMeta } from '../users/meta';
import { patchMeta, personOf } from '../users/operations';
import {
  assertEmailFree,
  type CardholderDeps,
  correctedOf,
  environmentOf,
  recordFieldsOf,
  requireApplicant,
} from './applicant';
import { type CorrectedMeta, type Meta, validatePatch } from './fields/validate';
import type { Cardholder } from './record';
import { requireTransition, statusAfter } from './record';
import type { CardholderServices } from './services';
import { applyTransition, type Change, type FieldChanges, lockWithUser } from './transition';
import { lookAtCardholder } from './workflows';

type Deps = CardholderDeps & Pick<CardholderServices, 'commands'>;

/** The caller's reach, and the cardholder that the call names. */
interface CardholderRequest {
  reach: string | null;
  id: string;
  idempotencyKey: string | undefined;
}

const reviewFirst = () =>
  precondition(
    'kyc_not_completed',
    "The change needs a new review of the user's KYC: change the user's meta, submit the KYC, then retry.",
  );

const noLinkedUser = () => conflict('no_linked_user', 'The cardholder has no linked user.');

/**
 * Changes a cardholder's data in the linked user's meta (`interface.md 4.3`). A failed submission is submitted again at
 * once. Every other cardholder waits for a call of submit.
 * @param given.patch the fields to change, of PATCH_FIELDS
 * @throws Problem 404; 400 naming the field; 412 when it is submitted again; 409 `no_linked_user`,
 * `status_not_editable`
 */
export async function updateCardholder(
  deps: Deps,
  tx: Tx,
  given: CardholderRequest & { patch: Meta },
): Promise<Change> {
  const { cardholder: before, user: locked } = await lockWithUser(tx, given.reach, given.id);
  if (!locked) throw noLinkedUser();
  const user = personOf(deps, locked);
  const patch = correctedOf(validatePatch(given.patch, user.meta, before.model, environmentOf(deps)));
  const meta = mergedMeta(user.meta, patch);
  if (patch.email !== undefined) await assertEmailFree(deps, tx, user.tenantId, before, patch.email);
  const resubmitted = statusAfter(before.status, 'updated') === 'wait_audit';
  if (resubmitted && before.model === 'B2C' && (await requiresNewSubmission(tx, user, meta, given)))
    throw reviewFirst();
  const changes: FieldChanges = resubmitted
    ? await resubmission(deps, tx, { ...user, meta }, before, given)
    : { description: before.description, ...shownChanges(recordFieldsOf(deps, user, meta), before, patch) };
  requireTransition(before.status, 'updated');
  const patched = await patchMeta(deps, tx, null, user.id, patch);
  await noteChangedFields(tx, patched.before, patched.after, given);
  const after = await applyTransition(tx, before, 'updated', changes);
  if (resubmitted) deps.commands.append(tx, [lookAtCardholder(after)]);
  return { before, after };
}

/** The record's fields after a change without a submission. Unchanged fields keep the values that were submitted. */
function shownChanges(
  changed: ReturnType<typeof recordFieldsOf>,
  before: Cardholder,
  patch: CorrectedMeta,
): FieldChanges {
  const { emailHash, emailSealed, maskedEmail } = patch.email === undefined ? before : changed;
  const { maskedName } = (patch.firstName ?? patch.lastName) ? changed : before;
  return { emailHash, emailSealed, maskedEmail, maskedName };
}

/** The changes that a new submission makes to the record. @throws Problem 400, 412 */
async function resubmission(
  deps: CardholderDeps,
  tx: Tx,
  user: Parameters<typeof requireApplicant>[2],
  cardholder: Cardholder,
  { idempotencyKey = null }: { idempotencyKey?: string | null | undefined },
): Promise<FieldChanges> {
  const { person, documents } = await requireApplicant(tx, deps, user, cardholder);
  return { ...recordFieldsOf(deps, user, person), documents, idempotencyKey };
}

/**
 * Submits a cardholder again with its user's present data and documents: `retried` after a failed submission,
 * `submitted` after a rejection or before the operator has decided.
 * @throws Problem 404; 400 naming the field; 412 `kyc_not_completed`, `documents_missing`; 409 `no_linked_user`,
 * `status_not_editable`
 */
export async function resubmitCardholder(
  deps: Deps,
  tx: Tx,
  on: 'retried' | 'submitted',
  given: CardholderRequest,
): Promise<Change> {
  const { cardholder: before, user } = await lockWithUser(tx, given.reach, given.id);
  if (!user) throw noLinkedUser();
  const changes = await resubmission(deps, tx, personOf(deps, user), before, given);
  const after = await applyTransition(tx, before, on, changes);
  deps.commands.append(tx, [lookAtCardholder(after)]);
  return { before, after };
}
