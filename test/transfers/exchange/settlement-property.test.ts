/** @long proves random settlements. */
import fc from 'fast-check';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal, minOf, sumOf, ZERO } from '../../../src/kernel/money/money';
import type { ExchangeWithdrawalWord } from '../../../src/parties/exchange/word';
import { advance } from '../../../src/transfers/engine/advance';
import { exchangeKey } from '../../../src/transfers/exchange/orders/kind';
import { exchangeWithdrawalKind } from '../../../src/transfers/exchange/withdrawals/kind';
import { moveSettlement } from '../../../src/transfers/settlement/move';
import { SETTLEMENT_MOVES, type SettlementMoveKind } from '../../../src/transfers/settlement/record';
import { fund } from '../../support/cards';
import { check, internal, later, looked, newKey, ordered, read, type World, world } from './support';
import { destinationOf } from './withdrawals/support';

/**
 * Plays random deals, changes, payments and checks of the settlement. The simulation counts the exchange's money
 * independently of the product.
 */

type Step =
  | { do: 'order'; to: Currency }
  | { do: 'deal'; nth: number; bought: number; isHeard: boolean }
  | { do: 'fail'; nth: number }
  | { do: 'look'; nth: number }
  | { do: 'pay'; currency: Currency; share: number }
  | { do: 'move'; currency: Currency; as: SettlementMoveKind }
  | { do: 'withdraw' }
  | { do: 'check'; currency: Currency; when: 'settled' | 'at once' | 'before' };

type Currency = 'EUR' | 'USD';
const other = (currency: Currency): Currency => (currency === 'EUR' ? 'USD' : 'EUR');

const currency = fc.constantFrom<Currency>('EUR', 'USD', 'USD');
const nth = fc.nat(9);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('order' as const), to: currency }) },
    {
      weight: 7,
      arbitrary: fc.record({
        do: fc.constant('deal' as const),
        nth,
        bought: fc.constantFrom(7, 10, 10, 13),
        isHeard: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), nth }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('look' as const), nth }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('pay' as const),
        currency,
        share: fc.constantFrom(1, 1, 0.5, 0.1),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('move' as const),
        currency,
        as: fc.constantFrom(...SETTLEMENT_MOVES),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('withdraw' as const) }) },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('check' as const),
        currency,
        when: fc.constantFrom('settled' as const, 'settled' as const, 'at once' as const, 'before' as const),
      }),
    },
  ),
  { minLength: 25, maxLength: 40 },
);

interface Deal {
  sold: Decimal;
  bought: Decimal;
}

/** An order: the deal at the exchange, the deal that the product knows, and the released amount. */
interface Simulated {
  id: string;
  to: Currency;
  dealt: Deal;
  heard: Deal;
  released: Decimal;
}

const NOTHING: Deal = { sold: ZERO, bought: ZERO };
const SOLD = new Decimal(10);

/** The exchange's payments, and our own money there. */
class Simulation {
  readonly orders: Simulated[] = [];
  private readonly paid = { EUR: ZERO, USD: ZERO };
  /** Write-offs less surpluses. The books count them as paid. */
  private readonly writtenOff = { EUR: ZERO, USD: ZERO };
  private readonly own = { EUR: ZERO, USD: ZERO };
  private answered: Record<Currency, string> = { EUR: '0', USD: '0' };
  private checked: Currency | undefined;

  constructor(
    private readonly on: World,
    private readonly destinationId: string,
  ) {}

  async take(step: Step): Promise<void> {
    const order = 'nth' in step ? this.orders[step.nth % Math.max(1, this.orders.length)] : undefined;
    switch (step.do) {
      case 'order':
        return this.order(step.to);
      case 'deal':
        return order && this.deal(order, new Decimal(step.bought), step.isHeard);
      case 'fail':
        return order && this.fail(order);
      case 'look':
        return order && this.look(order);
      case 'pay':
        return this.pay(step.currency, step.share);
      case 'move':
        return this.move(step.currency, step.as);
      case 'check':
        return this.checkWhen(step.currency, step.when);
      case 'withdraw':
        return this.withdraw();
    }
  }

  private async order(to: Currency): Promise<void> {
    const { eur, usd } = this.on;
    const [fromAccountId, toAccountId] = to === 'USD' ? [eur, usd] : [usd, eur];
    const id = await ordered(this.on, { fromAccountId, toAccountId, amount: SOLD.toFixed(2) });
    await looked(this.on, id);
    this.orders.push({ id, to, dealt: NOTHING, heard: NOTHING, released: ZERO });
  }

  /** Deals an order, or changes its deal. */
  private async deal(order: Simulated, bought: Decimal, isHeard: boolean): Promise<void> {
    order.dealt = { sold: SOLD, bought };
    this.on.double.say(exchangeKey(order.id), 'filled', `${SOLD.toFixed()} ${bought.toFixed()}`);
    if (isHeard) await this.look(order);
  }

  /** Undoes a deal. The product hears of it at once, because the returned sale would look like a payment. */
  private async fail(order: Simulated): Promise<void> {
    order.dealt = NOTHING;
    this.on.double.say(exchangeKey(order.id), 'failed');
    await this.look(order);
  }

  /** Makes two steps, because a word that takes something back counts at the second reading. */
  async look(order: Simulated): Promise<void> {
    for (let time = 0; time < 2; time += 1) await looked(this.on, order.id);
    order.heard = order.dealt;
    order.released = minOf(order.released, order.heard.bought);
  }

  private async pay(its: Currency, share: number): Promise<void> {
    const owed = this.bought(its, 'dealt').minus(this.settled(its));
    if (owed.gt(0)) this.paid[its] = this.paid[its].plus(owed.times(share).toDecimalPlaces(2));
  }

  /** Books a move. A write-off above the shortage is refused. */
  private async move(its: Currency, as: SettlementMoveKind): Promise<void> {
    const amount = new Decimal(5);
    const { database, services } = this.on.api;
    try {
      await database.transaction((tx) =>
        moveSettlement(tx, { party: 'exchange', currency: its, amount, as }, services.now()),
      );
    } catch (error) {
      expect([as, error]).toEqual(['write-off', expect.objectContaining({ code: 'invalid_transition' })]);
      return;
    }
    const [counted, sign] = {
      funding: [this.own, 1] as const,
      withdrawal: [this.own, -1] as const,
      'write-off': [this.writtenOff, 1] as const,
      surplus: [this.writtenOff, -1] as const,
    }[as];
    counted[its] = counted[its].plus(amount.times(sign));
  }

  private async withdraw(): Promise<void> {
    const body = { accountId: this.on.eur, destinationId: this.destinationId, amount: '3.00' };
    const made = await this.on.client.call('POST', '/v1/exchange/withdrawals', body, newKey());
    expect(made.status).toBe(201);
    for (let time = 0; time < 2; time += 1)
      await advance(this.on.api.services, exchangeWithdrawalKind, made.body.id as string);
    this.own.EUR = this.own.EUR.minus(3);
  }

  private async checkWhen(its: Currency, when: 'settled' | 'at once' | 'before'): Promise<void> {
    if (when === 'before') return this.checkOld(its);
    if (when === 'settled') later(this.on, 6);
    await this.check(its, when === 'at once');
  }

  /** @param isAtOnce recent sales are deducted, and a recent withdrawal of our money makes the check a 503 */
  async check(its: Currency, isAtOnce = false): Promise<void> {
    this.answered = { EUR: this.reported('EUR').toFixed(), USD: this.reported('USD').toFixed() };
    this.checked = its;
    this.on.double.balances = this.answered;
    const { body, status } = await check(this.on, its);
    if (isAtOnce && status === 503) return;
    expect(status).toBe(200);
    const released = this.orders.filter(({ id }) => (body.ordersReleased as string[]).includes(id));
    expect(body.ordersReleased).toHaveLength(released.length);
    for (const order of released) order.released = order.heard.bought;
    const left = Number(body.leftOver);
    if (isAtOnce) expect(left).toBeLessThanOrEqual((await this.leftOver(its)).toNumber());
    else expect(body.leftOver).toBe((await this.leftOver(its)).toFixed(2));
    if (released.length > 0)
      expect(this.releasedFor(its).toNumber()).toBeLessThanOrEqual(this.settled(its).toNumber());
  }

  /** The reported amount beyond the booked balance that is not owed. */
  private async leftOver(its: Currency): Promise<Decimal> {
    const booked = -(await internal(this.on, `settlement:${its}`));
    const waiting = this.bought(its, 'heard').minus(this.releasedFor(its));
    return new Decimal(this.answered[its]).minus(booked).plus(waiting);
  }

  /** Repeats the last answer of the exchange with its old time. Only the last checked currency may do that. */
  private async checkOld(its: Currency): Promise<void> {
    if (this.checked !== its) return;
    const { double } = this.on;
    double.clock.stands = true;
    double.balances = this.answered;
    expect((await check(this.on, its)).body.ordersReleased ?? []).toEqual([]);
    double.clock.stands = false;
  }

  private reported(its: Currency): Decimal {
    const sold = this.orders
      .filter(({ to }) => to === other(its))
      .map(({ dealt }) => ({ amount: dealt.sold }));
    return this.paid[its].plus(this.own[its]).minus(sumOf(sold));
  }

  private bought(its: Currency, as: 'dealt' | 'heard'): Decimal {
    const to = this.orders.filter((order) => order.to === its);
    return sumOf(to.map((order) => ({ amount: order[as].bought })));
  }

  private settled = (its: Currency): Decimal => this.paid[its].plus(this.writtenOff[its]);

  /** The known deals that a release still covers. */
  private releasedFor(its: Currency): Decimal {
    const paid = this.orders.filter(({ to, heard, released }) => to === its && released.gte(heard.bought));
    return sumOf(paid.map(({ heard }) => ({ amount: heard.bought })));
  }

  /** Hears and pays everything, and checks that everything is released. */
  async rests(): Promise<void> {
    for (const order of this.orders) await this.look(order);
    for (const its of ['EUR', 'USD'] as const) {
      await this.pay(its, 1);
      later(this.on, 6);
      await this.check(its);
      const excess = this.settled(its).minus(this.bought(its, 'heard'));
      expect((await check(this.on, its)).body).toMatchObject({
        ordersReleased: [],
        leftOver: excess.toFixed(2),
      });
    }
    for (const { id, heard } of this.orders) {
      const { status } = await read(this.on, id);
      expect(status).toBe(heard.bought.gt(0) ? 'completed' : status === 'failed' ? 'failed' : 'executing');
    }
  }
}

/** Makes the exchange complete each withdrawal at once. */
function pays({ double: { port } }: World): void {
  const words = new Map<string, ExchangeWithdrawalWord>();
  port.withdraw = async ({ key, amount }) => {
    const word: ExchangeWithdrawalWord = { version: 1, status: 'completed', sent: amount, returns: [] };
    words.set(key, word);
    return word;
  };
  port.askWithdrawal = async (key) => words.get(key) ?? 'unknown_to_party';
}

it('random settlements release no unpaid order, report the right rest, and release every paid order', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const on = await world();
      try {
        await fund(on.api, on.usd, '1000.00');
        pays(on);
        const simulation = new Simulation(on, await destinationOf(on.api, on.client));
        for (const step of all) await simulation.take(step);
        await simulation.rests();
        expect(await checkLedger(on.api.database)).toEqual([]);
      } finally {
        await on.api.close();
      }
    }),
    { numRuns: 10, endOnFailure: true },
  );
});
