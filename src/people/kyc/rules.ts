import { precondition } from '../../kernel/errors';
import type { KycStatus } from '../users/record';
import { KYC_SLOTS, type KycDocumentStatus, type KycSlot } from './record';

/**
 * Whether a document may be deleted: while its user has nothing in review or decided, and nobody has judged it.
 * @param submission the review that had it, if any
 */
export function isDeletable(
  user: KycStatus,
  document: { status: KycDocumentStatus; submission: number | null },
): boolean {
  const open = user === 'documents_uploaded' || user === 'resubmission_required';
  return open && document.status === 'uploaded' && document.submission === null;
}

/** The document that counts of each slot: the newest one that is not rejected. */
export function newestPerSlot<T extends { id: string; slot: KycSlot; status: KycDocumentStatus }>(
  documents: readonly T[],
): Map<KycSlot, T> {
  const newest = new Map<KycSlot, T>();
  for (const document of documents) {
    const known = newest.get(document.slot);
    if (document.status !== 'rejected' && (!known || document.id > known.id))
      newest.set(document.slot, document);
  }
  return newest;
}

/** A passport has one page that tells who somebody is; every other document has a back. */
function requiredSlots(idType: unknown): KycSlot[] {
  const passport = typeof idType === 'string' && idType.trim().toUpperCase() === 'PASSPORT';
  return passport ? ['idFrontImg', 'idHoldImg'] : [...KYC_SLOTS];
}

/** @throws Problem 412 `documents_missing`, naming the slots */
export function assertSlotsFilled(filled: ReadonlyMap<KycSlot, unknown>, idType: unknown): void {
  const missing = requiredSlots(idType).filter((slot) => !filled.has(slot));
  if (missing.length > 0)
    throw precondition('documents_missing', `Documents are missing: ${missing.join(', ')}.`);
}
