/**
 * How the sandbox decides in the operator's place where the tenant's setting `cardholderReview` is `auto`: by the
 * `accountPurpose` of the user's meta. Any other is approved, and the sandbox's party has its own (see
 * parties/cardholder-review/sandbox/scenarios.ts).
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
