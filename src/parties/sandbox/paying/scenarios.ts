import type { OrderFaults } from '../orders/book';

/**
 * How the sandbox's paying parties treat an order. Only the amount for the destination decides, in any currency. Any
 * other amount is sent and completed at once.
 */
export interface PayingScenario extends OrderFaults {
  /** The ordered amount, such as `901.01`. */
  amount: string;
  /** For docs/sandbox.md: what a client sees. */
  effect: string;
  /** The code with which the party does not take the order. */
  orderRefusal?: string;
  /** The code with which a taken order fails, after {@link decisionSeconds}. */
  refusal?: string;
  /** Seconds from the order to `sent` or the refusal, instead of the party's own delay. */
  decisionSeconds?: number;
  /** Seconds from `sent` to `completed`, instead of the party's own delay. Infinity: never. */
  completionSeconds?: number;
  /** Seconds from the order until money comes back. `returnedShare` is the part that does. */
  returnSeconds?: number;
  returnedShare?: string;
  /** The rest comes back after the same time again. */
  returnsRest?: boolean;
  /** Seconds from the order until the party reports that it has not sent the money after all. */
  failsAfterSendingSeconds?: number;
  /** Seconds from the order until the party reports that it has paid after all. */
  sentAfterRefusalSeconds?: number;
}

export const PAYING_SCENARIOS: readonly PayingScenario[] = [
  {
    amount: '901.01',
    effect: 'The party refuses: `failed` with `account_not_found`, the hold is released.',
    refusal: 'account_not_found',
  },
  {
    amount: '901.02',
    effect: 'The party takes 20 seconds to send it: `processing`, then `sent`, then `completed`.',
    decisionSeconds: 20,
  },
  {
    amount: '901.03',
    effect: 'The party never decides: the order stays `processing`.',
    decisionSeconds: Number.POSITIVE_INFINITY,
  },
  {
    amount: '901.04',
    effect: 'The party takes the order and the answer is lost: we ask for the order, and it is paid once.',
    losesFirstAnswer: true,
  },
  {
    amount: '901.05',
    effect: 'The order is lost on its way: it is ordered again, and paid once.',
    losesFirstOrder: true,
  },
  {
    amount: '901.06',
    effect: 'The party cannot be reached for 30 seconds: `processing`, then as usual.',
    unreachableSeconds: 30,
  },
  {
    amount: '901.07',
    effect: 'The money comes back 20 seconds later: `completed`, then `returned`, credited without the fee.',
    returnSeconds: 20,
  },
  {
    amount: '901.08',
    effect: 'Half of the money comes back 20 seconds later: `returned` with that `returnedAmount`.',
    returnSeconds: 20,
    returnedShare: '0.5',
  },
  {
    amount: '901.09',
    effect:
      'The order is `sent`, and 20 seconds later the party reports its failure: `returned`, credited with the fee, and the operator gets a break.',
    completionSeconds: Number.POSITIVE_INFINITY,
    failsAfterSendingSeconds: 20,
  },
  {
    amount: '901.10',
    effect:
      'The party refuses, and 20 seconds later reports the payment: the account is debited, and the operator gets a break.',
    refusal: 'account_not_found',
    sentAfterRefusalSeconds: 20,
  },
  {
    amount: '901.11',
    effect: 'The order is `sent`, and `completed` 20 seconds later.',
    completionSeconds: 20,
  },
  {
    amount: '901.12',
    effect: 'Every callback comes twice, with a forged one beside it: as usual.',
    repeatsCallbacks: true,
  },
  { amount: '901.13', effect: 'No callback is sent: as usual, found by asking.', sendsNoCallbacks: true },
  {
    amount: '901.14',
    effect:
      'The money comes back in two parts, the first half 20 seconds later and the rest 40 seconds later.',
    returnSeconds: 20,
    returnedShare: '0.5',
    returnsRest: true,
  },
  {
    amount: '901.15',
    effect: 'The party does not take the order: `failed` with `account_closed`, the hold is released.',
    orderRefusal: 'account_closed',
  },
  {
    amount: '901.16',
    effect: 'The party takes 20 seconds to send it, and sends no callback: found by its list.',
    decisionSeconds: 20,
    sendsNoCallbacks: true,
  },
];

const byAmount = new Map(PAYING_SCENARIOS.map((scenario) => [scenario.amount, scenario]));

/** @param amount trailing zeros do not matter: `901.010000` is `901.01` */
export function payingScenarioOf(amount: {
  toFixed(decimals: number): string;
  decimalPlaces(): number;
}): Partial<PayingScenario> {
  return (amount.decimalPlaces() <= 2 ? byAmount.get(amount.toFixed(2)) : undefined) ?? {};
}
