import { Decimal } from '../../../src/kernel/money/money';
import type { ExchangeOrderWord } from '../../../src/parties/exchange/word';
import { exchangeOrderKind } from '../../../src/transfers/exchange/orders/kind';
import { exchangeOrderPosition } from '../../../src/transfers/exchange/orders/position';
import {
  EXCHANGE_ORDER_TRANSITIONS,
  type ExchangeOrder,
  type ExchangeOrderTerms,
} from '../../../src/transfers/exchange/orders/record';
import {
  availableBy,
  covered,
  increaseSince,
  isOfItsTime,
} from '../../../src/transfers/exchange/settlement/rules';
import { shown } from '../engine/books';
import { begun, START } from '../engine/look';

it('an order has exactly these transitions', () => {
  const lines = EXCHANGE_ORDER_TRANSITIONS.flatMap(({ from, on, to, contradicts }) =>
    from.map((status) => `${status} ${on} ${to}${contradicts ? ' !' : ''}`),
  );
  expect(lines.sort()).toEqual([
    'awaiting_settlement failed failed !',
    'awaiting_settlement released completed',
    'awaiting_settlement reopened executing !',
    'completed failed failed !',
    'completed grown awaiting_settlement !',
    'completed reopened executing !',
    'created accepted executing',
    'created cancelled cancelled',
    'created failed failed',
    'executing failed failed',
    'executing filled awaiting_settlement',
    'failed filled awaiting_settlement !',
    'failed reopened executing !',
  ]);
});

const d = (value: string | number) => new Decimal(value);
const TERMS: ExchangeOrderTerms = {
  currency: 'EUR',
  toAccountId: 'acc_to',
  toCurrency: 'USD',
  minReceive: null,
  amount: d(100),
  fee: d(1),
};

function order(
  word: [ExchangeOrderWord['status'], string?] | null,
  { released = false, ...terms }: Partial<ExchangeOrderTerms> & { released?: boolean } = {},
): ExchangeOrder {
  const [status = 'open', fill] = word ?? [];
  const [sold = '0', bought = '0'] = fill?.split(' ') ?? [];
  const fills = fill ? [{ id: 'f1', sold: d(sold), bought: d(bought) }] : [];
  const made = begun<ExchangeOrderTerms, ExchangeOrderWord>({
    kind: 'exchange_order',
    status: 'executing',
    terms: { ...TERMS, ...terms },
    word: word && { status, fills },
  });
  const release = { id: 'dec_1', kind: 'release', amount: d(bought), currency: 'USD', accountId: null };
  const decision = { ...release, data: {}, reason: null, decidedBy: 'cli_admin', at: START };
  return { ...made, decisions: released ? [decision] : [] };
}

const booked = (...of: Parameters<typeof order>) =>
  Object.fromEntries(
    Object.entries(shown(exchangeOrderPosition(order(...of)).filter(({ amount }) => !amount.isZero()))),
  );
/** The suspense of both currencies. */
const suspense = (...of: Parameters<typeof order>) =>
  exchangeOrderPosition(order(...of))
    .filter(({ component, amount }) => component === 'suspense' && !amount.isZero())
    .map(({ currency, amount }) => `${amount.toFixed()} ${currency}`);

it('the client’s amount is held until the release, and the deal is booked at the exchange', () => {
  expect(booked(null)).toEqual({ held: 100 });
  expect(booked(['open'])).toEqual({ held: 100 });
  expect(booked(['open', '33 36'])).toEqual({ held: 100, settlement: 33, owed: -36 });
  expect(booked(['filled', '99 108'])).toEqual({ held: 100, settlement: 99, owed: -108 });
  expect(booked(['failed'])).toEqual({});
});

it('a release books the exact amounts, and a proportional fee for a partial fill', () => {
  const whole = { sold: 99, fee: 1, bought: 108, fees: 1, settlement: 99, owed: -108 };
  expect(booked(['filled', '99 108'], { released: true })).toEqual(whole);
  const half = { sold: 49.5, fee: 0.5, bought: 54, fees: 0.5, settlement: 49.5, owed: -54 };
  expect(booked(['filled', '49.5 54'], { released: true })).toEqual(half);
});

it('a deal that differs from the order goes to suspense in both currencies', () => {
  const minReceive = d(107);
  expect(suspense(['filled', '50 60'], { minReceive })).toEqual(['-50 EUR', '60 USD']);
  expect(suspense(['filled', '99 106.99'], { minReceive })).toEqual(['-99 EUR', '106.99 USD']);
  expect(suspense(['filled', '99 107'], { minReceive })).toEqual([]);
  expect(suspense(['failed', '10 11'])).toEqual(['-10 EUR', '11 USD']);
  expect(suspense(['filled', '0 11'])).toEqual(['11 USD']);
});

it('of an excess deal the client gets the ordered part at the deal’s price, rounded down', () => {
  expect(suspense(['filled', '110 121.05'])).toEqual(['-11 EUR', '12.11 USD']);
  expect(booked(['filled', '110 121.05'], { released: true })).toMatchObject({ sold: 99, bought: 108.94 });
});

it('an open order concludes as dealt, and as paid only with a fill', () => {
  const conclude = (word: ['open', string?] | null, as: 'paid' | 'failed') => {
    const given = order(word);
    const ordered = { ...given, transfer: { ...given.transfer, orderedAt: START } };
    return exchangeOrderKind.concluded?.(ordered, as)?.status;
  };
  expect(conclude(null, 'paid')).toBeUndefined();
  expect(conclude(null, 'failed')).toBe('failed');
  expect(conclude(['open', '10 11'], 'paid')).toBe('filled');
  expect(conclude(['open', '10 11'], 'failed')).toBe('filled');
  expect(exchangeOrderKind.concluded?.(order(['filled', '10 11']), 'failed')).toBeUndefined();
});

it('the increase since the last check ignores money that was sent out', () => {
  const last = { reported: d(100), sentOut: d(30) };
  const since = (reported: number, sentOut: number) =>
    increaseSince(last, { reported: d(reported), sentOut: d(sentOut) }).toNumber();
  expect(since(150, 30)).toBe(50);
  expect(since(70, 80)).toBe(20);
  expect(since(70, 30)).toBe(0);
});

it('the available amount is the reading above the booked balance, less sales the reading may lack', () => {
  const by = (reported: number, booked: number, owed: number, sentSince = 0) =>
    availableBy(d(reported), { booked: d(booked), owed: d(owed), sentSince: d(sentSince) }).toNumber();
  // 60 of the owed 110 have come.
  expect(by(60, 110, 110)).toBe(60);
  // 50 were just sold. If the reading lacks them already, the amount is too low for some seconds.
  expect(by(60, 60, 110, 50)).toBe(60);
  expect(by(10, 60, 110, 50)).toBe(10);
  expect(by(10, 60, 110)).toBe(60);
  // Another check has released 40 in between.
  expect(by(60, 110, 70)).toBe(20);
});

it('a reading counts if its time is within five seconds of the question', () => {
  const at = (ms: number) => new Date(1_800_000_000_000 + ms);
  const asked = { from: at(0), to: at(1_000) };
  const taken = [-5_001, -5_000, 6_000, 6_001].map((ms) => isOfItsTime(at(ms), asked));
  expect(taken).toEqual([false, true, true, false]);
});

it('covers whole orders in the order of their age, without overtaking', () => {
  const waiting = [50, 100, 10].map((amount, n) => ({ id: `exo_${n}`, amount: d(amount) }));
  const by = (available: number) => {
    const { released, left } = covered(waiting, d(available));
    return [released.map(({ id }) => id), left.toNumber()];
  };
  expect(by(-5)).toEqual([[], -5]);
  expect(by(60)).toEqual([['exo_0'], 10]);
  expect(by(150)).toEqual([['exo_0', 'exo_1'], 0]);
  expect(by(500)).toEqual([['exo_0', 'exo_1', 'exo_2'], 340]);
});
