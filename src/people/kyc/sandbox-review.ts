import type { User } from '../users/record';
import type { KycDecision } from './record';

/**
 * How the sandbox ends a review where the tenant's setting `kycReview` is `auto`: by the `idNo` of the user's meta, so
 * that a client can test every path. Any other number completes.
 */
export const KYC_SCENARIOS: readonly { idNo: string; decision: KycDecision; reason: string }[] = [
  { idNo: 'KYC-REJECT', decision: 'rejected', reason: 'The sandbox rejects this document number.' },
  {
    idNo: 'KYC-RESUBMIT',
    decision: 'resubmission_required',
    reason: 'The sandbox asks for better documents.',
  },
];

export function sandboxDecision({ meta }: Pick<User, 'meta'>): { decision: KycDecision; reason?: string } {
  return KYC_SCENARIOS.find(({ idNo }) => idNo === meta['idNo']) ?? { decision: 'completed' };
}
