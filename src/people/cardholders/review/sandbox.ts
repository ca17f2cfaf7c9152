/**
 * Decisions of the sandbox in place of an operator, where the tenant's setting `cardholderReview` is `auto`. The user's
 * `accountPurpose` selects one; any other value is approved. The sandbox's reviewer has scenarios of its own
 * (parties/cardholder-review/sandbox/scenarios.ts).
 */
export const OPERATOR_SCENARIOS: readonly { accountPurpose: string; effect: string; reason: string }[] = [
  {
    accountPurpose: 'sandbox:review-reject',
    effect: 'The operator rejects: `rejected_by_admin`, with the reason in `description`.',
    reason: 'The operator has rejected the application: the purpose of the account is not acceptable.',
  },
];

type SandboxDecision = { decision: 'approved' } | { decision: 'rejected'; reason: string };

export function sandboxDecision(meta: Readonly<Record<string, unknown>>): SandboxDecision {
  const scenario = OPERATOR_SCENARIOS.find(({ accountPurpose }) => accountPurpose === meta['accountPurpose']);
  return scenario ? { decision: 'rejected', reason: scenario.reason } : { decision: 'approved' };
}
