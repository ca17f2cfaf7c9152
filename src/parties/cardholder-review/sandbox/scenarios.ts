import type { OrderFaults } from '../../sandbox/orders/book';

/**
 * How the sandbox's reviewer treats an application. Only the person's `accountPurpose` decides, so that a client can
 * try every path. Any other purpose passes.
 */
export interface ReviewScenario extends OrderFaults {
  accountPurpose: string;
  /** For docs/sandbox.md: what a client sees. */
  effect: string;
  /** Seconds from the application to its decision, instead of the party's own pace. Infinity: no decision. */
  decisionSeconds?: number;
  /** Why the reviewer refuses the data. */
  refusal?: string;
  /** Why the reviewer rejects the person. */
  rejection?: string;
}

const REJECTION = 'The provider has rejected the application: the identity could not be verified.';

export const REVIEW_SCENARIOS: readonly ReviewScenario[] = [
  {
    accountPurpose: 'sandbox:reject',
    effect: 'The party rejects: `reject`, with the reason in `description`.',
    rejection: REJECTION,
  },
  {
    accountPurpose: 'sandbox:refuse',
    effect: 'The party does not take the data: `submission_failed`, with the reason in `description`.',
    refusal: 'The provider has refused the data: idNo is not a number of that document type.',
  },
  {
    accountPurpose: 'sandbox:slow',
    effect: 'The party takes 20 seconds: `wait_audit`, then `pass_audit`.',
    decisionSeconds: 20,
  },
  {
    accountPurpose: 'sandbox:slow-reject',
    effect: 'The party takes 20 seconds and then rejects: `wait_audit`, then `reject`.',
    decisionSeconds: 20,
    rejection: REJECTION,
  },
  {
    accountPurpose: 'sandbox:timeout',
    effect: 'The data is taken but the answer is lost: we ask again, then `pass_audit`.',
    losesFirstAnswer: true,
  },
  {
    accountPurpose: 'sandbox:lost',
    effect: 'The data is lost on its way and no answer comes: it is submitted again, then `pass_audit`.',
    losesFirstOrder: true,
  },
  {
    accountPurpose: 'sandbox:unreachable',
    effect: 'The party cannot be reached for 30 seconds: `wait_audit`, then `pass_audit`.',
    unreachableSeconds: 30,
  },
  {
    accountPurpose: 'sandbox:gone',
    effect: 'The party cannot be reached at all: `submission_failed` when the attempts of a day are used up.',
    unreachableSeconds: Number.POSITIVE_INFINITY,
  },
  {
    accountPurpose: 'sandbox:silent',
    effect: 'The party takes the data and never decides: it stays `wait_audit`.',
    decisionSeconds: Number.POSITIVE_INFINITY,
  },
];

const byPurpose = new Map(REVIEW_SCENARIOS.map((scenario) => [scenario.accountPurpose, scenario]));

export function reviewScenarioOf(accountPurpose: string | null | undefined): Partial<ReviewScenario> {
  return byPurpose.get(accountPurpose ?? '') ?? {};
}
