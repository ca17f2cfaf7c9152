/** @long proves random positions. */
import fc from 'fast-check';
import { Decimal, ZERO } from '../../../src/kernel/money/money';
import { type Back, type Inflow, inflowPosition } from '../../../src/transfers/engine/books/inflow';
import { type Outflow, outflowPosition } from '../../../src/transfers/engine/books/outflow';
import {
  balanced,
  type ComponentTable,
  differences,
  entryOf,
  type Holding,
} from '../../../src/transfers/engine/books/position';

const TABLE: ComponentTable = {
  credited: { on: 'client', up: 'deposit/checkout', down: 'withdraw/checkout_reversed' },
  released: { on: 'client', up: 'deposit/checkout', down: 'withdraw/checkout_reversed' },
  held: { on: 'hold', up: 'pending/deposit_refund', down: 'transfer/deposit_refund' },
  refunded: { on: 'client', up: 'withdraw/deposit_refund', down: 'deposit/deposit_refund_reversed' },
  chargedBack: { on: 'client', up: 'withdraw/deposit_chargeback', down: 'deposit/chargeback_reversed' },
  paid: { on: 'client', up: 'withdraw/payout', down: 'deposit/payout_reversed' },
  fee: { on: 'client', up: 'fee/payout_fee', down: 'deposit/payout_fee_reversed' },
  returned: { on: 'client', up: 'deposit/payout_returned', down: 'withdraw/payout_returned_reversed' },
  checkout: { on: 'internal', account: 'checkout' },
  payouts: { on: 'internal', account: 'payouts' },
};

const money = (max = 30_000) => fc.integer({ min: 1, max }).map((cents) => new Decimal(cents).dividedBy(100));
const total = (all: Decimal[]) => all.reduce((sum, amount) => sum.plus(amount), ZERO);
const of = (position: readonly Holding[], component: string, currency?: string) =>
  total(
    position
      .filter((each) => each.component === component && (currency ?? each.currency) === each.currency)
      .map(({ amount }) => amount),
  );

/** The sum of a posting of this position, by currency. */
function sums(position: readonly Holding[]): Map<string, string> {
  const all = new Map<string, Decimal>();
  for (const holding of position) {
    const { available, pending } = entryOf({ ...holding, reference: 'ref' }, TABLE);
    const { currency } = holding;
    all.set(currency, (all.get(currency) ?? ZERO).plus(available).plus(pending));
  }
  return new Map([...all].map(([currency, sum]) => [currency, sum.toFixed()]));
}

const backs: fc.Arbitrary<Back[]> = fc
  .array(
    fc.record({
      amount: money(),
      currency: fc.constantFrom('USD', 'USD', 'USD', 'GBP'),
      as: fc.constantFrom('refund' as const, 'dispute' as const),
      state: fc.constantFrom('asked' as const, 'done' as const),
      ordered: fc.boolean(),
    }),
    { maxLength: 5 },
  )
  .map((all) =>
    all.map((back, n) => {
      const part = `ref_${n}`;
      // Only the payer disputes, and only we ask for refunds.
      if (back.as === 'dispute') return { ...back, part, state: 'done', ordered: false };
      return { ...back, part, ordered: back.ordered || back.state === 'asked' };
    }),
  );

const inflows: fc.Arbitrary<Inflow> = fc
  .record({
    received: fc.array(fc.record({ currency: fc.constantFrom('USD', 'USD', 'GBP'), amount: money() }), {
      maxLength: 3,
    }),
    backs,
    base: money(),
    credited: money(),
    fee: money(500),
    currency: fc.constantFrom('USD', 'EUR', 'JPY'),
    isCredited: fc.boolean(),
    door: fc.option(money(), { nil: null }),
  })
  .map(({ received, backs, base, credited, fee, currency, isCredited, door }) => {
    const whole = (amount: Decimal) => (currency === 'JPY' ? amount.ceil() : amount);
    const same = currency === 'USD';
    const kept = Decimal.min(fee, base);
    const credit = {
      account: 'acc_1',
      base: { currency: 'USD', amount: base },
      credited: same ? base.minus(kept) : whole(credited),
      fee: same ? kept : whole(fee),
      currency,
    };
    const resolutions = door
      ? [{ part: 'dec_1', to: 'losses' as const, account: null, currency: 'USD', amount: door }]
      : [];
    return { received, backs, credit: isCredited ? credit : null, resolutions, party: 'checkout' };
  });

describe('the position of incoming money', () => {
  it('holds exactly the money at the party, in every currency, and sums to zero', () => {
    fc.assert(
      fc.property(inflows, (inflow) => {
        const position = balanced(inflowPosition(inflow), TABLE);
        for (const sum of sums(position).values()) expect(sum).toBe('0');
        for (const currency of ['USD', 'GBP']) {
          const ours = (all: readonly { currency: string; amount: Decimal }[]) =>
            total(all.filter((each) => each.currency === currency).map(({ amount }) => amount));
          const gone = ours(inflow.backs.filter(({ state }) => state === 'done'));
          expect(of(position, 'checkout', currency).toFixed()).toBe(
            gone.minus(ours(inflow.received)).toFixed(),
          );
        }
        const { credit } = inflow;
        if (credit?.currency === 'USD') expect(of(position, 'fx').toFixed()).toBe('0');
      }),
      { numRuns: 3_000 },
    );
  });

  it('never takes more from the account than was credited', () => {
    fc.assert(
      fc.property(inflows, (inflow) => {
        const position = inflowPosition(inflow);
        const taken = total(['refunded', 'chargedBack', 'held'].map((component) => of(position, component)));
        expect(taken.lte(of(position, 'credited'))).toBe(true);
        for (const component of ['credited', 'refunded', 'chargedBack', 'held', 'fees'])
          expect(of(position, component).gte(0)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it('has the same sums for every order in which its parts were first seen', () => {
    fc.assert(
      fc.property(inflows, fc.integer({ min: 1, max: 4 }), (first, by) => {
        const turned = [...first.backs.slice(by), ...first.backs.slice(0, by)];
        for (const other of [turned, [...first.backs].reverse()]) {
          const [one, two] = [first, { ...first, backs: other }].map(inflowPosition) as [
            Holding[],
            Holding[],
          ];
          for (const component of Object.keys(TABLE).concat('suspense', 'fees'))
            expect(of(two, component).toFixed()).toBe(of(one, component).toFixed());
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('posts nothing without a change, and the same in total over any intermediate position', () => {
    fc.assert(
      fc.property(inflows, inflows, (first, last) => {
        const [from, to] = [first, last].map((each) => balanced(inflowPosition(each), TABLE)) as [
          Holding[],
          Holding[],
        ];
        expect(differences(to, to)).toEqual([]);
        const [through, straight] = [
          differences(from, []).concat(differences(to, from)),
          differences(to, []),
        ];
        expect([...sums(through)].filter(([, sum]) => sum !== '0')).toEqual([]);
        for (const component of Object.keys(TABLE))
          for (const currency of ['USD', 'EUR', 'GBP', 'JPY'])
            expect(of(through, component, currency).toFixed()).toBe(
              of(straight, component, currency).toFixed(),
            );
      }),
      { numRuns: 1_000 },
    );
  });

  const PAID = { currency: 'USD', amount: new Decimal(100) };
  const CREDIT = {
    account: 'acc_1',
    base: PAID,
    credited: new Decimal(97),
    fee: new Decimal(3),
    currency: 'USD',
  };
  const back = (part: string, as: Back['as'], amount: number, state: Back['state'] = 'done'): Back => ({
    part,
    as,
    state,
    currency: 'USD',
    amount: new Decimal(amount),
  });
  const shown = (inflow: Partial<Inflow>) =>
    Object.fromEntries(
      inflowPosition({
        received: [PAID],
        backs: [],
        credit: CREDIT,
        resolutions: [],
        party: 'checkout',
        ...inflow,
      })
        .filter(({ amount }) => !amount.isZero())
        .map(({ component, part, amount }) => [part ? `${component} ${part}` : component, amount.toNumber()]),
    );

  it.each<[string, Partial<Inflow>, Record<string, number>]>([
    ['credited', {}, { checkout: -100, credited: 97, fees: 3 }],
    ['without a decision', { credit: null }, { checkout: -100, suspense: 100 }],
    ['paid twice', { received: [PAID, PAID] }, { checkout: -200, suspense: 100, credited: 97, fees: 3 }],
    [
      'paid twice, refunded once',
      { received: [PAID, PAID], backs: [back('r', 'refund', 100)] },
      { checkout: -100, credited: 97, fees: 3 },
    ],
    [
      'a refund and a dispute of the same money',
      { backs: [back('d', 'dispute', 100), back('r', 'refund', 100)] },
      { checkout: 100, suspense: -100, credited: 97, 'refunded r': 97 },
    ],
    [
      'a dispute without its failed refund',
      { backs: [back('d', 'dispute', 100)] },
      { credited: 97, 'chargedBack d': 97 },
    ],
    [
      'a requested refund that keeps its share before a dispute',
      { backs: [back('r', 'refund', 100, 'asked'), back('d', 'dispute', 100)] },
      { suspense: -100, credited: 97, fees: 3, 'held r': 97 },
    ],
    ['a payment that was taken back', { received: [] }, {}],
    [
      'two partial refunds',
      { backs: [back('r', 'refund', 40), back('s', 'refund', 60)] },
      { credited: 97, 'refunded r': 38.8, 'refunded s': 58.2 },
    ],
    [
      'a dispute of more than the refund has left',
      { backs: [back('x', 'refund', 80), back('r', 'dispute', 40)] },
      { checkout: 20, suspense: -20, credited: 97, 'refunded x': 77.6, 'chargedBack r': 19.4 },
    ],
  ])('%s', (_, inflow, expected) => {
    expect(shown(inflow)).toEqual(expected);
  });
});

const outflows: fc.Arbitrary<Outflow> = fc
  .record({
    amount: money(),
    fee: money(500),
    received: money(),
    exchange: fc.boolean(),
    sent: fc.oneof(fc.constant(0), fc.constant(1), fc.constant(0.5), fc.constant(1.5)),
    backs: fc.array(money(), { maxLength: 4 }),
    held: fc.boolean(),
  })
  .map(({ amount, fee, received, exchange, sent, backs, held }) => {
    const target = { currency: exchange ? 'EUR' : 'USD', amount: exchange ? received : amount };
    return {
      account: 'acc_1',
      currency: 'USD',
      amount,
      fee,
      target,
      party: 'payouts',
      resolutions: [],
      sent: target.amount.times(sent).toDecimalPlaces(2),
      held: held && sent === 0,
      backs: backs.map((each, n) => ({ part: `ref_${n}`, amount: each })),
    };
  });

describe('the position of outgoing money', () => {
  it('holds exactly the money that the party has had', () => {
    fc.assert(
      fc.property(outflows, (outflow) => {
        const position = balanced(outflowPosition(outflow), TABLE);
        for (const sum of sums(position).values()) expect(sum).toBe('0');
        const back = total(outflow.backs.map(({ amount }) => amount));
        const { currency } = outflow.target;
        expect(of(position, 'payouts', currency).toFixed()).toBe(outflow.sent.minus(back).toFixed());
        expect(of(position, 'returned').lte(of(position, 'paid'))).toBe(true);
        if (currency === 'USD') expect(of(position, 'fx').toFixed()).toBe('0');
      }),
      { numRuns: 3_000 },
    );
  });

  it.each<[string, number, number[], Record<string, number>]>([
    ['sent twice', 200, [], { payouts: 200, suspense: -100, paid: 100 }],
    ['sent twice, with the excess returned', 200, [100], { payouts: 100, paid: 100 }],
    [
      'sent twice, with more than the excess returned',
      200,
      [60, 60],
      { payouts: 80, paid: 100, 'returned ref_1': 20 },
    ],
    [
      'more returned than sent',
      100,
      [60, 60],
      { payouts: -20, suspense: 20, paid: 100, 'returned ref_0': 60, 'returned ref_1': 40 },
    ],
  ])('%s', (_, sent, backs, expected) => {
    const amount = new Decimal(100);
    const position = outflowPosition({
      account: 'acc_1',
      currency: 'USD',
      amount,
      fee: ZERO,
      target: { currency: 'USD', amount },
      held: false,
      sent: new Decimal(sent),
      resolutions: [],
      party: 'payouts',
      backs: backs.map((each, n) => ({ part: `ref_${n}`, amount: new Decimal(each) })),
    });
    const shown = position
      .filter((holding) => !holding.amount.isZero())
      .map(({ component, part, amount: of }) => [part ? `${component} ${part}` : component, of.toNumber()]);
    expect(Object.fromEntries(shown)).toEqual(expected);
  });
});
