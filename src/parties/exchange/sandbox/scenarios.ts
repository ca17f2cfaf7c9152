import type { Decimal } from '../../../kernel/money/money';
import type { OrderFaults } from '../../sandbox/orders/book';

/** A part of an order that fills in one piece. */
interface FillShare {
  /** Share of the sold amount. */
  share: string;
  /** Share of the price in the table of rates. */
  price: string;
}

/**
 * How the sandbox's exchange treats an order. Only the sold amount decides, in any currency. An order of any other
 * amount is filled and settled at once. It completes when a check of the settlement covers it.
 */
export interface ExchangeScenario extends OrderFaults {
  /** The ordered amount, such as `905.01`. */
  amount: string;
  /** For docs/sandbox.md: what a client sees. */
  effect: string;
  /** The code with which the party does not take the order. */
  orderRefusal?: string;
  /** The code with which a taken order fails, after {@link decisionSeconds}. */
  refusal?: string;
  /** Seconds from the order until the party withdraws its refusal and fills the order. */
  filledAfterRefusalSeconds?: number;
  /** Seconds from the order to the first fill or the refusal, instead of the party's own delay. Infinity: never. */
  decisionSeconds?: number;
  /** The fills. Absent: the whole order in one fill. Shares below 1 in sum leave the rest unfilled. */
  fills?: readonly FillShare[];
  /** Seconds from the order until the party withdraws its fills. */
  undoneSeconds?: number;
  /** Seconds from a fill to its settlement, instead of the party's own delay. Infinity: never. */
  settlementSeconds?: number;
  /** The part of the bought amount that ever settles. */
  settledShare?: string;
}

export const EXCHANGE_SCENARIOS: readonly ExchangeScenario[] = [
  {
    amount: '905.01',
    effect: 'The party does not take the order: `failed` with `market_closed`, the hold is released.',
    orderRefusal: 'market_closed',
  },
  {
    amount: '905.02',
    effect:
      'The party takes the order and finds nobody: `failed` with `no_counterparty`, the hold is released.',
    refusal: 'no_counterparty',
  },
  {
    amount: '905.03',
    effect: 'The party takes 20 seconds to fill it: `executing`, then `awaiting_settlement`.',
    decisionSeconds: 20,
  },
  {
    amount: '905.04',
    effect: 'The party never decides: the order stays `executing`.',
    decisionSeconds: Number.POSITIVE_INFINITY,
  },
  {
    amount: '905.05',
    effect:
      'The party takes the order and the answer is lost: we ask for the order, and it is executed once.',
    losesFirstAnswer: true,
  },
  {
    amount: '905.06',
    effect: 'The order is lost on its way: `created` until it is ordered again, and executed once.',
    losesFirstOrder: true,
  },
  {
    amount: '905.07',
    effect: 'The party cannot be reached for 30 seconds: `created`, then as usual.',
    unreachableSeconds: 30,
  },
  {
    amount: '905.08',
    effect:
      'Only half of the order is filled: `awaiting_settlement`. Its completion releases the rest of the hold. With `minReceive`: `failed` with `min_receive_not_met`.',
    fills: [{ share: '0.5', price: '1' }],
  },
  {
    amount: '905.09',
    effect:
      'The order is filled in two halves, the second 5 seconds later and 1 % dearer. Its completion is one posting. With `minReceive` both come together.',
    fills: [
      { share: '0.5', price: '1' },
      { share: '0.5', price: '0.99' },
    ],
  },
  {
    amount: '905.10',
    effect:
      'The price moves: the order is filled 2 % below the table of rates. With a `minReceive` above that: `failed` with `min_receive_not_met`.',
    fills: [{ share: '1', price: '0.98' }],
  },
  {
    amount: '905.11',
    effect: 'The order is filled and settles 20 seconds later. No earlier check completes it.',
    settlementSeconds: 20,
  },
  {
    amount: '905.12',
    effect:
      'The order is filled, and only half of the bought amount ever settles: `awaiting_settlement`, until money of other orders covers it.',
    settledShare: '0.5',
  },
  {
    amount: '905.13',
    effect:
      'The order is filled and never settles: `awaiting_settlement`, until money of other orders covers it.',
    settlementSeconds: Number.POSITIVE_INFINITY,
  },
  {
    amount: '905.14',
    effect:
      'The order is filled and settled, and 20 seconds later the party reports its failure: `failed` with `deal_cancelled`. The hold is released, or a completed order is reversed, and the operator gets a break.',
    undoneSeconds: 20,
  },
  {
    amount: '905.15',
    effect:
      '`failed` with `no_counterparty`, and 20 seconds later the party reports a fill: the amount is held again, `awaiting_settlement`, and the operator gets a break.',
    refusal: 'no_counterparty',
    filledAfterRefusalSeconds: 20,
  },
  {
    amount: '905.16',
    effect: 'Every callback comes twice, with a forged one beside it: as usual.',
    repeatsCallbacks: true,
  },
  { amount: '905.17', effect: 'No callback is sent: as usual, found by asking.', sendsNoCallbacks: true },
  {
    amount: '905.18',
    effect: 'The party takes 20 seconds to fill it, and sends no callback: found by its list.',
    decisionSeconds: 20,
    sendsNoCallbacks: true,
  },
];

const byAmount = new Map(EXCHANGE_SCENARIOS.map((scenario) => [scenario.amount, scenario]));

/** @param amount trailing zeros do not matter: `905.010000` is `905.01` */
export const exchangeScenarioOf = (amount: Decimal): Partial<ExchangeScenario> =>
  (amount.decimalPlaces() <= 2 ? byAmount.get(amount.toFixed(2)) : undefined) ?? {};
