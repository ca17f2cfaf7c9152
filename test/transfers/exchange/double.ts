import { Decimal, ZERO } from '../../../src/kernel/money/money';
import type { ExchangeOrder, ExchangeParty } from '../../../src/parties/exchange/port';
import type { ExchangeOrderWord } from '../../../src/parties/exchange/word';
import { PartyAway, PartyRefused } from '../../../src/process/party-errors';

/** An exchange in the memory of the test: it deals, pays and reports what it is told to. */
export interface ExchangeDouble {
  port: ExchangeParty;
  /** As they were ordered, by key; asked again with its key it is the same. */
  orders: Map<string, ExchangeOrder>;
  /** What the next orders meet; then all is well. */
  next: ('refused' | 'lost')[];
  /** What it says of an order from now on: fills as `sold bought`. */
  say(key: string, status: ExchangeOrderWord['status'], ...fills: string[]): void;
  /** What it holds of ours, settled, by currency. */
  balances: Record<string, string>;
  /** Its time: the present, and grows with each reading, unless it is stopped. */
  clock: { at: Date; stands: boolean; now: () => number };
  /** It cannot be asked for balances. */
  isAway: boolean;
  /** Before it answers with its balances. */
  beforeAnswer(): Promise<void>;
}

const NOT_HERE = () => Promise.reject(new PartyAway('the double deals orders alone'));

export function exchangeDouble(): ExchangeDouble {
  const words = new Map<string, ExchangeOrderWord>();
  const orders = new Map<string, ExchangeOrder>();
  const double: ExchangeDouble = {
    ...{
      orders,
      next: [],
      balances: {},
      clock: { at: new Date(), stands: false, now: Date.now },
      isAway: false,
    },
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
      ...{ withdraw: NOT_HERE, askWithdrawal: NOT_HERE, verify: () => undefined },
      async balances() {
        if (double.isAway) throw new PartyAway();
        if (!double.clock.stands)
          double.clock.at = new Date(Math.max(double.clock.at.getTime() + 1, double.clock.now()));
        const asOf = double.clock.at;
        const balances = Object.entries(double.balances).map(([currency, amount]) => ({
          ...{ currency, amount: new Decimal(amount) },
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
