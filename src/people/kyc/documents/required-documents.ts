import { precondition } from '../../../kernel/errors';
import { KYC_SLOTS, type KycSlot } from '../record';

/** A passport needs no back, because one page identifies its holder. */
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
