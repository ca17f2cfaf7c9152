import { Decimal, ZERO } from '../../../src/kernel/money/money';
import type { ExchangeOrder, ExchangeParty } from '../../../src/parties/exchange/port';
import type { ExchangeOrderWord } from '../../../src/parties/exchange/word';
import { PartyAway, PartyRefused } from '../../../src/process/party-errors';

/** An exchange in the test's memory. The test sets its fills, payments and balances. */
export interface ExchangeDouble {
  port: ExchangeParty;
  /** Orders by key. A repeated order under the same key has no effect. */
  orders: Map<string, ExchangeOrder>;
  /** Faults of the next orders, one each. */
  next: ('refused' | 'lost')[];
  /** Sets the word on an order, with fills as `sold bought`. */
  say(key: string, status: ExchangeOrderWord['status'], ...fills: string[]): void;
  /** Our settled balances, by currency. */
  balances: Record<string, string>;
  /** The exchange's clock: the present, later with each reading, unless it stands. */
  clock: { at: Date; stands: boolean; now: () => number };
  /** Whether a question for balances fails. */
  isAway: boolean;
  /** Called before the balances are answered. */
  beforeAnswer(): Promise<void>;
}

const NOT_HERE = () => Promise.reject(new PartyAway('the double has only orders'));

export function exchangeDouble(): ExchangeDouble {
  const words = new Map<string, ExchangeOrderWord>();
  const orders = new Map<string, ExchangeOrder>();
  const double: ExchangeDouble = {
    orders,
    next: [],
    balances: {},
    clock: { at: new Date(), stands: false, now: Date.now },
    isAway: false,
    beforeAnswer: async () => undefined,
    say(key, status, ...fills) {
      const version = (words.get(key)?.version ?? 0) + 1;
      words.set(key, { version, status, fills: fills.map(fillOf) });
    },
    port: {
      async order(order) {
        const fault = double.next.shift();
        if (fault === 'refused') throw new PartyRefused('market_closed');
        if (!orders.has(order.key)) {
          orders.set(order.key, order);
          double.say(order.key, 'open');
        }
        if (fault === 'lost') throw new PartyAway();
        return words.get(order.key) as ExchangeOrderWord;
      },
      askOrder: async (key) => words.get(key) ?? 'unknown_to_party',
      withdraw: NOT_HERE,
      askWithdrawal: NOT_HERE,
      verify: () => undefined,
      async balances() {
        if (double.isAway) throw new PartyAway();
        if (!double.clock.stands)
          double.clock.at = new Date(Math.max(double.clock.at.getTime() + 1, double.clock.now()));
        const asOf = double.clock.at;
        const balances = Object.entries(double.balances).map(([currency, amount]) => ({
          currency,
          amount: new Decimal(amount),
        }));
        await double.beforeAnswer();
        return { asOf, balances };
      },
      changes: async () => ({ changes: [], unreadable: [], next: '0', more: false }),
    },
  };
  return double;
}

function fillOf(text: string, index: number) {
  const [sold = ZERO, bought = ZERO] = text.split(' ').map((amount) => new Decimal(amount));
  return { id: `fill-${index + 1}`, sold, bought };
}
