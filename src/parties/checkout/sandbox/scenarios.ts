import { Decimal } from '../../../kernel/money/money';

/**
 * How the sandbox's checkout treats a session. Only its amount decides, in any currency, so that a client can try every
 * path. The payer's choices on the page come on top.
 */
export interface CheckoutScenario {
  amount: string;
  /** For docs/sandbox.md: what a client sees. */
  effect: string;
  /** The code with which the session is refused. */
  refusal?: string;
  /** Seconds in which no session can be made, counted from the first attempt. */
  unreachableSeconds?: number;
  /** The session is made and the first answer is lost. */
  losesFirstAnswer?: boolean;
  /** Seconds from the creation of the session until it is paid without a payer. */
  paysItselfSeconds?: number;
  /** Seconds from the expiry of the session until it is paid without a payer. */
  paysAfterExpirySeconds?: number;
  /** Seconds from the payment to a second one of the same amount. */
  paysAgainSeconds?: number;
  /** The payer cancels as soon as the session is made. */
  cancelsItself?: boolean;
  /** Seconds from the creation of the session until it expires, instead of the order's own time. */
  expiresSeconds?: number;
  /** The code with which the payment fails. */
  failureCode?: string;
  risk?: 'review';
  /** How much less than the ordered amount is paid. */
  paysLess?: string;
  /** Seconds from the payment to its settlement. Null: it does not settle by itself. */
  settlesSeconds?: number | null;
  /** Seconds from the payment to a dispute over the full amount. `disputeEnds` counts from there. */
  disputedSeconds?: number;
  disputeEnds?: { seconds: number; outcome: 'won' | 'lost' };
  /** Seconds from that end until the dispute is decided the other way. */
  disputeTurnsSeconds?: number;
  refundSeconds?: number;
  refundFails?: boolean;
  /** Seconds after a successful refund until it fails. */
  refundUndoneSeconds?: number;
}

const DAY_SECONDS = 86_400;

export const CHECKOUT_SCENARIOS: readonly CheckoutScenario[] = [
  {
    amount: '700.01',
    effect: 'Paid by itself, without a browser: `completed`.',
    paysItselfSeconds: 0,
  },
  {
    amount: '700.02',
    effect: 'Paid by itself, settled 20 seconds later: `processing`, then `completed`.',
    paysItselfSeconds: 0,
    settlesSeconds: 20,
  },
  {
    amount: '700.03',
    effect: 'Paid by itself, settled a day later: `processing` until then.',
    paysItselfSeconds: 0,
    settlesSeconds: DAY_SECONDS,
  },
  {
    amount: '700.04',
    effect: 'Paid by itself and marked as a risk: `manual_review`.',
    paysItselfSeconds: 0,
    risk: 'review',
  },
  {
    amount: '700.05',
    effect: 'Paid by itself, 10.00 less than asked for: `manual_review`.',
    paysItselfSeconds: 0,
    paysLess: '10',
  },
  {
    amount: '700.06',
    effect: 'The payment is declined: `failed`.',
    paysItselfSeconds: 0,
    failureCode: 'card_declined',
  },
  {
    amount: '700.07',
    effect: 'Paid by itself, disputed 5 seconds later and lost: `completed`, then `chargeback`.',
    paysItselfSeconds: 0,
    disputedSeconds: 5,
    disputeEnds: { seconds: 5, outcome: 'lost' },
  },
  {
    amount: '700.08',
    effect: 'Paid by itself, disputed 5 seconds later and won after 5 more: the money comes back.',
    paysItselfSeconds: 0,
    disputedSeconds: 5,
    disputeEnds: { seconds: 5, outcome: 'won' },
  },
  {
    amount: '700.09',
    effect: 'Paid by itself; a refund takes 20 seconds.',
    paysItselfSeconds: 0,
    refundSeconds: 20,
  },
  {
    amount: '700.10',
    effect: 'Paid by itself; a refund fails.',
    paysItselfSeconds: 0,
    refundFails: true,
  },
  {
    amount: '700.11',
    effect: 'Paid by itself 90 seconds after it was created: late where it expires before.',
    paysItselfSeconds: 90,
  },
  {
    amount: '700.12',
    effect: 'No page can be made: `failed`.',
    refusal: 'method_unavailable',
  },
  {
    amount: '700.13',
    effect: 'The party cannot be reached for 30 seconds: `created`, then `awaiting_payment`.',
    unreachableSeconds: 30,
  },
  {
    amount: '700.14',
    effect: 'The page is made but the answer is lost: we ask again, then `awaiting_payment`.',
    losesFirstAnswer: true,
  },
  {
    amount: '700.15',
    effect: 'Paid by itself; a refund succeeds, and 5 seconds later has failed after all.',
    paysItselfSeconds: 0,
    refundUndoneSeconds: 5,
  },
  {
    amount: '700.16',
    effect: 'Paid by itself, disputed 5 seconds later, lost after 5 more, and won after 5 more.',
    paysItselfSeconds: 0,
    disputedSeconds: 5,
    disputeEnds: { seconds: 5, outcome: 'lost' },
    disputeTurnsSeconds: 5,
  },
  {
    amount: '700.17',
    effect: 'Paid by itself, and 5 seconds later once more.',
    paysItselfSeconds: 0,
    paysAgainSeconds: 5,
  },
  {
    amount: '700.18',
    effect: 'Paid by itself 5 seconds after it has expired: `expired`, then `manual_review`.',
    paysAfterExpirySeconds: 5,
  },
  {
    amount: '700.19',
    effect: 'The payer cancels, without a browser: `cancelled`.',
    cancelsItself: true,
  },
  {
    amount: '700.20',
    effect: 'The page expires 20 seconds after it was made: `expired`.',
    expiresSeconds: 20,
  },
];

const byAmount = new Map(
  CHECKOUT_SCENARIOS.map((scenario) => [new Decimal(scenario.amount).toFixed(), scenario]),
);

export function scenarioOf(amount: Decimal): Partial<CheckoutScenario> {
  return byAmount.get(amount.toFixed()) ?? {};
}
