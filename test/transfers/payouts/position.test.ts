import type { PayoutWord } from '../../../src/parties/payouts/word';
import { conclusionData } from '../../../src/transfers/engine/conclusion';
import { DOUBT_MS, follow } from '../../../src/transfers/engine/follow';
import {
  isFinal,
  PAYOUT_STATUSES,
  PAYOUT_TRANSITIONS,
  type Payout,
  type PayoutStatus,
} from '../../../src/transfers/payouts/record';
import { concluded, isOpen, orders } from '../../../src/transfers/payouts/rules';
import { linesOf } from '../engine/lines';

import {
  amount,
  decision,
  fresh,
  IN_DOLLARS,
  KIND,
  later,
  moved,
  of,
  positionOf,
  START,
  shown,
  TERMS,
  through,
  total,
  word,
} from './pure';

describe('the table of states', () => {
  const step = (from: PayoutStatus, said: PayoutWord) => {
    const { transfer, ...rest } = fresh();
    return follow(KIND, { ...rest, transfer: { ...transfer, status: from, word: said, orderedAt: START } });
  };
  const SAID = [
    word('processing'),
    word('sent', 100),
    word('completed', 100),
    word('failed'),
    word('returned', 100, { r: 100 }),
  ];

  it('has a way from wherever a payout stands to wherever the party has it, or says that there is none', () => {
    const reached = (from: PayoutStatus) =>
      SAID.map((said) => {
        const { situation, impossible } = step(from, said);
        return impossible ?? situation.transfer.status;
      });
    expect(Object.fromEntries(PAYOUT_STATUSES.slice(2).map((from) => [from, reached(from)]))).toEqual({
      processing: ['processing', 'sent', 'completed', 'failed', 'returned'],
      sent: ['reopened', 'sent', 'completed', 'returned', 'returned'],
      completed: ['reopened', 'sent', 'completed', 'returned', 'returned'],
      rejected: ['reopened', 'sent', 'sent', 'rejected', 'sent'],
      failed: ['reopened', 'sent', 'completed', 'failed', 'returned'],
      cancelled: ['reopened', 'sent', 'sent', 'cancelled', 'sent'],
      returned: ['reopened', 'sent', 'completed', 'returned', 'returned'],
    });
    expect(step('completed', word('sent', 100)).impossible).toBe('sent'); // it has not arrived after all
  });

  it.each([
    word('processing', 100),
    word('sent'),
    word('completed'),
    word('returned'),
    word('failed', 100),
    word('failed', 100, { r: 40 }),
  ])('a word whose amounts are not those of its status leaves it: %j', (said) => {
    for (const from of PAYOUT_STATUSES.slice(2)) {
      const { situation, impossible } = step(from, said);
      expect([situation.transfer.status, impossible]).toEqual([from, 'incoherent']);
    }
  });

  it('leaves a final status by the word of the party alone, and what contradicts is marked', () => {
    const leaving = linesOf(PAYOUT_TRANSITIONS).filter(({ from }) => isFinal(from));
    expect(leaving.map(({ from, on, contradicts }) => [from, on, contradicts ?? false])).toEqual([
      ['completed', 'returned', false],
      ['failed', 'sent', true],
      ['returned', 'sent', true],
      ['completed', 'failed', true],
      ['returned', 'completed', true],
    ]);
  });

  it('reaches every status', () => {
    const reached = new Set<string>(['created', ...PAYOUT_TRANSITIONS.map(({ to }) => to)]);
    expect([...reached].sort()).toEqual([...PAYOUT_STATUSES].sort());
  });

  it('is led by decisions before the party has it', () => {
    const waits = moved(fresh({ ...TERMS, needsApproval: true }), {}).payout;
    expect(waits.transfer.status).toBe('pending_approval');
    expect(shown(waits)).toEqual({ held: 100.35 });
    const approved = moved(waits, { decide: decision('approve') });
    expect([approved.path, shown(approved.payout)]).toEqual([['approved'], { held: 100.35 }]);
    const rejected = moved(waits, { decide: decision('reject') });
    expect([rejected.path, shown(rejected.payout)]).toEqual([['rejected'], {}]);
    const cancelled = moved(fresh(), { decide: decision('cancel', { reason: 'user_blocked' }) });
    expect([cancelled.path, shown(cancelled.payout)]).toEqual([['cancelled'], {}]);
    expect(cancelled.payout.transfer.failure).toBe('user_blocked');
    expect(isOpen(waits) && !isOpen(rejected.payout) && !isOpen(cancelled.payout)).toBe(true);
  });

  it('orders once it is accepted, until the party has said what it has of it, or has refused it', () => {
    const keys = (payout: Payout) => orders(payout).map(({ key }) => key);
    expect(keys(fresh())).toEqual([]);
    expect(keys(moved(fresh({ ...TERMS, needsApproval: true }), {}).payout)).toEqual([]);
    const ordered = moved(fresh(), {}).payout;
    expect(keys(ordered)).toEqual(['pay_1']);
    expect(keys(through(word('processing')).payout)).toEqual([]);
    const refused = decision('refused', { data: { key: 'pay_1', code: 'beneficiary_refused' } });
    const { payout } = moved(ordered, { decide: refused });
    expect([payout.transfer.status, payout.transfer.failure, shown(payout), keys(payout)]).toEqual([
      ...['failed', 'beneficiary_refused', {}, []],
    ]);
    // What the party has of it after all counts more than its refusal.
    expect(shown(moved(payout, { word: word('sent', 100) }).payout)).toMatchObject({ paid: 100, fee: 0.35 });
  });
});

describe('the books', () => {
  const PAID = { paid: 100, fee: 0.35, fees: 0.35, payouts: 100 };

  it.each<[string, PayoutWord[], string, object]>([
    ['taken', [word('processing')], 'processing', { held: 100.35 }],
    ['sent', [word('sent', 100)], 'sent', PAID],
    ['failed', [word('failed')], 'failed', {}],
    ['returned', [word('returned', 100, { r: 100 })], 'returned', { ...PAID, payouts: 0, returned: 100 }],
    [
      'returned in part',
      [word('completed', 100), word('returned', 100, { r: 40 })],
      'returned',
      { ...PAID, payouts: 60, returned: 40 },
    ],
    [
      'more back than was sent',
      [word('returned', 100, { r: 130 })],
      'returned',
      { ...PAID, payouts: -30, returned: 100, suspense: 30 },
    ],
    [
      'more sent than was ordered',
      [word('sent', 130)],
      'sent',
      { paid: 100, fee: 0.35, fees: 0.35, payouts: 130, suspense: -30 },
    ],
    // Ways on which the party takes its word back.
    [
      'returned, and then completed after all',
      [word('completed', 100), word('returned', 100, { r: 100 }), word('completed', 100)],
      'completed',
      PAID,
    ],
    ['returned, and then only sent', [word('returned', 100, { r: 100 }), word('sent', 100)], 'sent', PAID],
    [
      'sent, failed, and then completed',
      [word('sent', 100), word('failed'), word('completed', 100)],
      'completed',
      PAID,
    ],
    ['failed, and then completed', [word('failed'), word('completed', 100)], 'completed', PAID],
    ['sent, and then failed', [word('sent', 100), word('failed')], 'returned', {}],
    ['sent, and then nothing decided', [word('sent', 100), word('processing')], 'sent', { held: 100.35 }],
    [
      'failed, with what was sent given back',
      [word('sent', 100), word('failed', 100, { r: 100 })],
      'returned',
      { paid: 100, returned: 100 },
    ],
  ])('%s', (_, words, status, expected) => {
    const { payout } = through(...words);
    const { payouts = 0, ...rest } = expected as Record<string, number>;
    expect([payout.transfer.status, shown(payout)]).toEqual([
      status,
      payouts === 0 ? rest : { ...rest, payouts },
    ]);
  });

  it('what comes back in parts is credited in proportion, the last with the exact rest', () => {
    let { payout } = moved(fresh(IN_DOLLARS), {});
    const parts: Record<string, number>[] = [{ a: 40 }, { a: 40, b: 27.89 }, { a: 40, b: 27.89, c: 40 }];
    for (const returns of parts) payout = moved(payout, { word: word('returned', 107.89, returns) }).payout;
    const returned = positionOf(payout).filter(({ component }) => component === 'returned');
    expect(returned.map(({ amount: value }) => value.toFixed(2))).toEqual(['37.07', '25.86', '37.07']);
    expect(total(returned.map((each) => each.amount)).toFixed(2)).toBe('100.00');
    // One that the party takes back is taken again.
    payout = through(word('returned', 107.89, { a: 40 })).payout;
    expect(of(positionOf(payout), 'payouts').toFixed(2)).toBe('67.89');
  });

  describe('of a closed account', () => {
    const close = (words: PayoutWord[], then: PayoutWord[]): Payout => {
      let { payout } = through(...words);
      for (const each of then)
        for (const wait of [0, DOUBT_MS])
          payout = moved(later(payout, wait), { word: each, closed: true }).payout;
      return payout;
    };

    it('credit what was credited before, and keep what comes back since in suspense', () => {
      const payout = close(
        [word('returned', 100, { a: 40 })],
        [word('returned', 100, { a: 40 }), word('returned', 100, { a: 45, b: 30 })],
      );
      expect(shown(payout)).toEqual({ ...PAID, payouts: 25, returned: 40, suspense: 35 });
      expect(payout.decisions.map(({ kind }) => kind)).toEqual(['account_closed']);
    });

    it('keep what the party says that it never sent in suspense, with its fee', () => {
      const payout = close([word('sent', 100)], [word('failed')]);
      expect(shown(payout)).toEqual({ paid: 100, fee: 0.35, suspense: 100.35 });
      const after = moved(payout, { word: word('completed', 100), closed: true }).payout;
      expect(shown(after)).toEqual(PAID);
    });

    it('credit nothing of what the account had not been credited before, though it was told of', () => {
      // All of it had come back before anything was sent, and stood in suspense.
      const payout = close([word('processing', 0, { a: 50 })], [word('returned', 100, { a: 50, b: 10 })]);
      expect(shown(payout)).toEqual({ ...PAID, payouts: 40, suspense: 60 });
    });

    it('keep what was credited, whichever part what was sent too much comes back with', () => {
      const before = [word('returned', 100, { a: 40 })];
      const after = close(before, [
        word('returned', 100, { a: 40, b: 30 }),
        word('returned', 130, { a: 40, b: 30 }),
      ]);
      expect(shown(after)).toEqual({ ...PAID, payouts: 60, returned: 40 });
    });

    it('note nothing while nothing comes back', () => {
      expect(close([word('sent', 100)], [word('completed', 100)]).decisions).toEqual([]);
    });
  });

  it('follow what a person concludes, until the party says something else', () => {
    const { payout } = through(word('processing'));
    const conclude = (as: 'paid' | 'failed') =>
      moved(payout, { decide: decision('conclude', { data: conclusionData(as, payout) }) });
    const paid = conclude('paid');
    expect([paid.path, shown(paid.payout)]).toEqual([['sent', 'completed'], PAID]);
    const failed = conclude('failed');
    expect([failed.path, shown(failed.payout)]).toEqual([['failed'], {}]);
    // The same word again changes nothing; another one counts.
    expect(moved(failed.payout, { word: word('processing') }).path).toEqual([]);
    const sent = moved(failed.payout, { word: word('sent', 100) });
    expect([sent.payout.transfer.status, shown(sent.payout)]).toEqual(['sent', PAID]);
  });

  it.each([
    [fresh(), 'not ordered'],
    [through(word('completed', 100)).payout, 'completed'],
    [through(word('failed')).payout, 'failed'],
    [through(word('returned', 100, { r: 1 })).payout, 'returned'],
  ])('leave nothing to conclude of one that is %#', (payout) => {
    expect(concluded(payout, 'paid')).toBeUndefined();
    expect(concluded(payout, 'failed')).toBeUndefined();
  });

  it('let money out of suspense by its doors, and into it', () => {
    const { payout } = through(word('returned', 100, { r: 130 }));
    const door = (kind: string, value: number, accountId: string | null = null) =>
      decision(kind, { amount: amount(value), currency: 'EUR', accountId });
    const credited = {
      ...payout,
      decisions: [door('suspense_credit', 20, 'acc_2'), door('suspense_write_off', 10)],
    };
    expect(shown(credited)).toEqual({ ...PAID, payouts: -30, returned: 100, released: 20, losses: 10 });
    const short = through(word('sent', 130)).payout;
    const recovered = { ...short, decisions: [door('suspense_recover', -30, 'acc_1')] };
    expect(shown(recovered)).toEqual({ paid: 100, fee: 0.35, fees: 0.35, payouts: 130, released: -30 });
  });
});

describe('the reason that a client reads', () => {
  const said = (status: PayoutWord['status'], failureCode?: string): PayoutWord => ({
    ...word(status, status === 'failed' ? 0 : 100, status === 'returned' ? { r: 100 } : {}),
    ...(failureCode === undefined ? {} : { failureCode }),
  });
  it.each([
    ['a code', said('failed', 'account_not_found'), 'account_not_found'],
    ['none', said('failed'), 'provider_refused'],
    ['a text', said('failed', 'The account of Ada Byron is closed'), 'provider_refused'],
    ['a name', said('failed', '__proto__ GmbH'), 'provider_refused'],
    ['much', said('failed', 'x'.repeat(100)), 'provider_refused'],
    ['one of a return', said('returned', 'account_closed'), 'account_closed'],
    ['a text of a return', said('returned', 'Ada Byron'), 'provider_refused'],
    ['none of a return', said('returned'), null],
    ['one of what was sent', said('sent', 'nonsense'), null],
  ])('%s', (_, each, expected) => {
    expect(through(each).payout.transfer.failure).toBe(expected);
  });
});
