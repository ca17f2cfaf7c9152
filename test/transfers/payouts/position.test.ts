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

  it('leads from every status to the party’s, or marks the word as impossible', () => {
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
    expect(step('completed', word('sent', 100)).impossible).toBe('sent'); // the payment was not completed
  });

  it.each([
    word('processing', 100),
    word('sent'),
    word('completed'),
    word('returned'),
    word('failed', 100),
    word('failed', 100, { r: 40 }),
  ])('keeps the status when the amounts of a word do not fit its status: %j', (said) => {
    for (const from of PAYOUT_STATUSES.slice(2)) {
      const { situation, impossible } = step(from, said);
      expect([situation.transfer.status, impossible]).toEqual([from, 'incoherent']);
    }
  });

  it('leaves a final status only by the party’s word, and marks contradictions', () => {
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

  it('follows decisions before the order', () => {
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

  it('gives the order once accepted, until the party has a word on it or refuses it', () => {
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
    // A later word of the party overrides its refusal.
    expect(shown(moved(payout, { word: word('sent', 100) }).payout)).toMatchObject({ paid: 100, fee: 0.35 });
  });
});

describe('the books', () => {
  const PAID = { paid: 100, fee: 0.35, fees: 0.35, payouts: 100 };

  it.each<[string, PayoutWord[], string, object]>([
    ['accepted', [word('processing')], 'processing', { held: 100.35 }],
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
      'returned beyond the payment',
      [word('returned', 100, { r: 130 })],
      'returned',
      { ...PAID, payouts: -30, returned: 100, suspense: 30 },
    ],
    [
      'sent beyond the order',
      [word('sent', 130)],
      'sent',
      { paid: 100, fee: 0.35, fees: 0.35, payouts: 130, suspense: -30 },
    ],
    // Paths on which the party takes a word back.
    [
      'returned, then completed',
      [word('completed', 100), word('returned', 100, { r: 100 }), word('completed', 100)],
      'completed',
      PAID,
    ],
    ['returned, then sent', [word('returned', 100, { r: 100 }), word('sent', 100)], 'sent', PAID],
    [
      'sent, failed, then completed',
      [word('sent', 100), word('failed'), word('completed', 100)],
      'completed',
      PAID,
    ],
    ['failed, then completed', [word('failed'), word('completed', 100)], 'completed', PAID],
    ['sent, then failed', [word('sent', 100), word('failed')], 'returned', {}],
    ['sent, then processing', [word('sent', 100), word('processing')], 'sent', { held: 100.35 }],
    [
      'failed with a full return',
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

  it('credit partial returns in proportion, and the exact rest with the last', () => {
    let { payout } = moved(fresh(IN_DOLLARS), {});
    const parts: Record<string, number>[] = [{ a: 40 }, { a: 40, b: 27.89 }, { a: 40, b: 27.89, c: 40 }];
    for (const returns of parts) payout = moved(payout, { word: word('returned', 107.89, returns) }).payout;
    const returned = positionOf(payout).filter(({ component }) => component === 'returned');
    expect(returned.map(({ amount: value }) => value.toFixed(2))).toEqual(['37.07', '25.86', '37.07']);
    expect(total(returned.map((each) => each.amount)).toFixed(2)).toBe('100.00');
    // A return that the party takes back is debited again.
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

    it('keep the earlier credits, and later returns go to suspense', () => {
      const payout = close(
        [word('returned', 100, { a: 40 })],
        [word('returned', 100, { a: 40 }), word('returned', 100, { a: 45, b: 30 })],
      );
      expect(shown(payout)).toEqual({ ...PAID, payouts: 25, returned: 40, suspense: 35 });
      expect(payout.decisions.map(({ kind }) => kind)).toEqual(['account_closed']);
    });

    it('put a payout that was never sent into suspense, with its fee', () => {
      const payout = close([word('sent', 100)], [word('failed')]);
      expect(shown(payout)).toEqual({ paid: 100, fee: 0.35, suspense: 100.35 });
      const after = moved(payout, { word: word('completed', 100), closed: true }).payout;
      expect(shown(after)).toEqual(PAID);
    });

    it('credit no return that was not credited before, even if the party had reported it', () => {
      // The return came before the payment was sent, and was in suspense.
      const payout = close([word('processing', 0, { a: 50 })], [word('returned', 100, { a: 50, b: 10 })]);
      expect(shown(payout)).toEqual({ ...PAID, payouts: 40, suspense: 60 });
    });

    it('keep the credited amount when an excess payment changes the parts', () => {
      const before = [word('returned', 100, { a: 40 })];
      const after = close(before, [
        word('returned', 100, { a: 40, b: 30 }),
        word('returned', 130, { a: 40, b: 30 }),
      ]);
      expect(shown(after)).toEqual({ ...PAID, payouts: 60, returned: 40 });
    });

    it('need no decision without a return', () => {
      expect(close([word('sent', 100)], [word('completed', 100)]).decisions).toEqual([]);
    });
  });

  it('follow an operator’s conclusion until the party changes its word', () => {
    const { payout } = through(word('processing'));
    const conclude = (as: 'paid' | 'failed') =>
      moved(payout, { decide: decision('conclude', { data: conclusionData(as, payout) }) });
    const paid = conclude('paid');
    expect([paid.path, shown(paid.payout)]).toEqual([['sent', 'completed'], PAID]);
    const failed = conclude('failed');
    expect([failed.path, shown(failed.payout)]).toEqual([['failed'], {}]);
    // A repeated word changes nothing. A different word counts.
    expect(moved(failed.payout, { word: word('processing') }).path).toEqual([]);
    const sent = moved(failed.payout, { word: word('sent', 100) });
    expect([sent.payout.transfer.status, shown(sent.payout)]).toEqual(['sent', PAID]);
  });

  it.each([
    [fresh(), 'not ordered'],
    [through(word('completed', 100)).payout, 'completed'],
    [through(word('failed')).payout, 'failed'],
    [through(word('returned', 100, { r: 1 })).payout, 'returned'],
  ])('have nothing to conclude before the order and after the end (case %#)', (payout) => {
    expect(concluded(payout, 'paid')).toBeUndefined();
    expect(concluded(payout, 'failed')).toBeUndefined();
  });

  it('move money out of suspense and into it by resolutions', () => {
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

describe('the failure code that a client reads', () => {
  const said = (status: PayoutWord['status'], failureCode?: string): PayoutWord => ({
    ...word(status, status === 'failed' ? 0 : 100, status === 'returned' ? { r: 100 } : {}),
    ...(failureCode === undefined ? {} : { failureCode }),
  });
  it.each([
    ['of a code', said('failed', 'account_not_found'), 'account_not_found'],
    ['without a code', said('failed'), 'provider_refused'],
    ['of a text', said('failed', 'The account of Ada Byron is closed'), 'provider_refused'],
    ['of a name', said('failed', '__proto__ GmbH'), 'provider_refused'],
    ['of a long code', said('failed', 'x'.repeat(100)), 'provider_refused'],
    ['of a code with a return', said('returned', 'account_closed'), 'account_closed'],
    ['of a text with a return', said('returned', 'Ada Byron'), 'provider_refused'],
    ['of a return without a code', said('returned'), null],
    ['of a code with sent', said('sent', 'nonsense'), null],
  ])('%s', (_, each, expected) => {
    expect(through(each).payout.transfer.failure).toBe(expected);
  });
});
