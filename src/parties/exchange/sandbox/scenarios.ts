import type { Decimal } from '../../../kernel/money/money';
import type { OrderFaults } from '../../sandbox/orders/book';

/** A part of an order that is dealt in one piece. */
interface FillShare {
  /** Of the amount that is sold. */
  share: string;
  /** Of what it is worth by the table of rates. */
  price: string;
}

/**
 * How the sandbox's exchange treats an order: decided by the amount that is sold, whatever its currency, and by nothing else.
 * Any other amount is filled and settled at once; its order completes when a check of the settlement covers it.
 */
export interface ExchangeScenario extends OrderFaults {
  /** As it is ordered: `905.01`. */
  amount: string;
  /** For docs/sandbox.md: what a client sees. */
  effect: string;
  /** The party does not take the order, for this reason. */
  orderRefusal?: string;
  /** The party takes it and refuses it then; `failed` after {@link decisionSeconds}. */
  refusal?: string;
  /** Seconds from the order until the party takes back that it refused it: it is filled. */
  filledAfterRefusalSeconds?: number;
  /** Seconds from the order to the first fill or the refusal, instead of the party's own delay; Infinity: never. */
  decisionSeconds?: number;
  /** What is filled, piece by piece; all of it at once where it is absent, and nothing more where it is not all. */
  fills?: readonly FillShare[];
  /** Seconds from the order until the party takes back that it filled it. */
  undoneSeconds?: number;
  /** Seconds from a fill until what it bought is settled, instead of the party's own delay; Infinity: never. */
  settlementSeconds?: number;
  /** Which part of what was bought is ever settled. */
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
    effect: 'The party never says what became of it: it stays `executing`.',
    decisionSeconds: Number.POSITIVE_INFINITY,
  },
  {
    amount: '905.05',
    effect: 'The party takes the order and its answer is lost: it is asked for, and dealt once.',
    losesFirstAnswer: true,
  },
  {
    amount: '905.06',
    effect: 'The order is lost on its way: `created` until it is ordered again, and dealt once.',
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
      'Half of it is filled and no more will be: `awaiting_settlement`; as it completes the rest of the hold is released. With `minReceive`: `failed` with `min_receive_not_met`.',
    fills: [{ share: '0.5', price: '1' }],
  },
  {
    amount: '905.09',
    effect:
      'It is filled in two halves, the second 5 seconds later and 1 % dearer: one posting as it completes. With `minReceive` both come together.',
    fills: [
      { share: '0.5', price: '1' },
      { share: '0.5', price: '0.99' },
    ],
  },
  {
    amount: '905.10',
    effect:
      'The price moves: it is filled 2 % below the table of rates. With a `minReceive` above that: `failed` with `min_receive_not_met`.',
    fills: [{ share: '1', price: '0.98' }],
  },
  {
    amount: '905.11',
    effect:
      'It is filled, and what it bought is settled 20 seconds later: no check before that completes it.',
    settlementSeconds: 20,
  },
  {
    amount: '905.12',
    effect:
      'It is filled, and only half of what it bought is ever settled: `awaiting_settlement`, until what comes of other orders covers it.',
    settledShare: '0.5',
  },
  {
    amount: '905.13',
    effect:
      'It is filled and never settled: `awaiting_settlement`, until what comes of other orders covers it.',
    settlementSeconds: Number.POSITIVE_INFINITY,
  },
  {
    amount: '905.14',
    effect:
      'It is filled and settled, and 20 seconds later the party says that it failed: `failed` with `deal_cancelled`, the hold is released, or what a check had completed is reversed, and a break for the operator.',
    undoneSeconds: 20,
  },
  {
    amount: '905.15',
    effect:
      '`failed` with `no_counterparty`, and 20 seconds later the party says that it was filled: held again and `awaiting_settlement`, and a break for the operator.',
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

/** @param amount with or without further zeros: `905.010000` is `905.01` */
export const exchangeScenarioOf = (amount: Decimal): Partial<ExchangeScenario> =>
  (amount.decimalPlaces() <= 2 ? byAmount.get(amount.toFixed(2)) : undefined) ?? {};
