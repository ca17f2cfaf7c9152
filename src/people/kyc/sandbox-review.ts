import type { Person } from '../users/record';
import type { KycDecision } from './record';

/**
 * Decisions of the sandbox, where the tenant's setting `kycReview` is `auto`. The user's `idNo` selects one, so that a
 * client can test each path. Any other value completes the review.
 */
export const KYC_SCENARIOS: readonly { idNo: string; decision: KycDecision; reason: string }[] = [
  { idNo: 'KYC-REJECT', decision: 'rejected', reason: 'The sandbox rejects this document number.' },
  {
    idNo: 'KYC-RESUBMIT',
    decision: 'resubmission_required',
    reason: 'The sandbox asks for better documents.',
  },
];

export function sandboxDecision({ meta }: Pick<Person, 'meta'>): { decision: KycDecision; reason?: string } {
  return KYC_SCENARIOS.find(({ idNo }) => idNo === meta['idNo']) ?? { decision: 'completed' };
}
