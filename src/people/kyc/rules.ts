import type { KycStatus } from '../users/record';
import type { KycDocumentStatus, KycSlot } from './record';

/**
 * Whether a document may be deleted: nobody has judged it, no submission has it, and the user's KYC is neither in
 * review nor decided.
 */
export function isDeletable(
  user: KycStatus,
  document: { status: KycDocumentStatus; submission: number | null },
): boolean {
  const open = user === 'documents_uploaded' || user === 'resubmission_required';
  return open && document.status === 'uploaded' && document.submission === null;
}

/** The document of each slot that counts: the newest one that is not rejected. */
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
