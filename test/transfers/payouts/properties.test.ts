import fc from 'fast-check';
import { ACCOUNT_EFFECTS, type AccountEffect } from '../../../src/kernel/ledger/effects';
import { Decimal, ZERO } from '../../../src/kernel/money/money';
import type { PayoutWord } from '../../../src/parties/payouts/word';
import { conclusionData, effective } from '../../../src/transfers/engine/conclusion';
import { DOUBT_MS } from '../../../src/transfers/engine/follow';
import {
  balanced,
  type ComponentTable,
  differences,
  entryOf,
  type Holding,
  INTERNAL_COMPONENTS,
} from '../../../src/transfers/engine/position';
import type { Decision } from '../../../src/transfers/engine/record';
import { IBAN_PAYOUT_COMPONENTS } from '../../../src/transfers/iban/payouts/kind';
import { PAYOUT_COMPONENTS } from '../../../src/transfers/payouts/kind';
import { PAYOUT_STATUSES, type Payout } from '../../../src/transfers/payouts/record';
import { concludedPayout, isCoherent, ordersOfPayout } from '../../../src/transfers/payouts/rules';

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
  TERMS,
  total,
} from './pure';

// Whatever the party says ------------------------------------------------------------------------------------------

const values = fc.constantFrom(0, 1, 33.33, 50, 99.99, 100, 107.89, 130).map((value) => amount(value));
const words: fc.Arbitrary<PayoutWord> = fc
  .record({
    version: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    status: fc.constantFrom<PayoutWord['status']>('processing', 'sent', 'completed', 'failed', 'returned'),
    sent: fc.option(values, { nil: null, freq: 3 }),
    returns: fc.uniqueArray(fc.record({ id: fc.constantFrom('r1', 'r2', 'r3'), amount: values }), {
      maxLength: 3,
      selector: ({ id }) => id,
    }),
  })
  .map(({ version, status, sent, returns }) => {
    const usual = amount(status === 'processing' || status === 'failed' ? 0 : 100);
    const rest = { status, sent: sent ?? usual, returns: status === 'returned' ? returns : returns.slice(2) };
    return version === undefined ? rest : { ...rest, version };
  });

type Step =
  | { word: PayoutWord; closed: boolean }
  | { person: 'approve' | 'reject' | 'paid' | 'failed' | 'cancel' | 'refused' }
  | { door: 'suspense_credit' | 'suspense_write_off' | 'suspense_recover'; amount: Decimal }
  | { ms: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 7,
      arbitrary: fc.record({ word: words, closed: fc.constantFrom(false, false, false, true) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        person: fc.constantFrom<Extract<Step, { person: string }>['person']>(
          ...(['approve', 'approve', 'reject', 'paid', 'failed', 'cancel', 'refused'] as const),
        ),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        door: fc.constantFrom<Extract<Step, { door: string }>['door']>(
          'suspense_credit',
          'suspense_write_off',
          'suspense_recover',
        ),
        amount: values,
      }),
    },
    { weight: 2, arbitrary: fc.constantFrom({ ms: 1_000 }, { ms: DOUBT_MS }, { ms: 40 * DOUBT_MS }) },
  ),
  { minLength: 1, maxLength: 14 },
);

const starts = fc.constantFrom(
  ...[TERMS, IN_DOLLARS, { ...TERMS, needsApproval: true }, { ...TERMS, fee: ZERO }],
);

/** What a decision needs so that the product takes it. */
function decided(
  payout: Payout,
  step: Exclude<Step, { word: PayoutWord } | { ms: number }>,
): Decision | undefined {
  const { status, orderedAt, terms } = payout.transfer;
  if ('door' in step)
    return decision(step.door, {
      ...{ amount: step.amount, currency: terms.receivedCurrency, accountId: 'acc_2' },
    });
  switch (step.person) {
    case 'approve':
    case 'reject':
      return status === 'pending_approval' ? decision(step.person) : undefined;
    case 'cancel':
      return status === 'created' ? decision('cancel', { reason: 'user_blocked' }) : undefined;
    case 'refused':
      return ordersOfPayout(payout).length > 0
        ? decision('refused', { data: { key: 'pay_1', code: 'refused' } })
        : undefined;
    default:
      return orderedAt !== null && concludedPayout(payout, step.person)
        ? decision('conclude', { data: conclusionData(step.person, payout) })
        : undefined;
  }
}

/** Words come only for what was ordered, as they do. */
function next(payout: Payout, step: Step): Payout {
  if ('ms' in step) return moved(later(payout, step.ms), {}).payout;
  if ('word' in step)
    return payout.transfer.orderedAt === null ? moved(payout, {}).payout : moved(payout, step).payout;
  const decide = decided(payout, step);
  return decide ? moved(payout, { decide }).payout : payout;
}

const tables: ComponentTable[] = [PAYOUT_COMPONENTS, IBAN_PAYOUT_COMPONENTS].map((own) => ({
  ...INTERNAL_COMPONENTS,
  ...own,
}));

const RUNS = Number(process.env['PROOF_RUNS'] ?? 5_000);
const each = (check: (payout: Payout, all: Step[]) => void) =>
  fc.assert(
    fc.property(starts, steps, (terms, all) => check(all.reduce(next, fresh(terms)), all)),
    { numRuns: RUNS },
  );

it('holds in the books what the party says, whatever it has said before and whoever has decided what', () => {
  each((payout) => {
    const { word: said, terms } = effective(KIND, payout).transfer;
    const position = balanced(positionOf(payout), tables[0] as ComponentTable);
    const back = total((said?.returns ?? []).map((one) => one.amount));
    expect(of(position, 'payouts').toFixed()).toBe((said?.sent ?? ZERO).minus(back).toFixed());
    const [held, paid, fee, returned] = ['held', 'paid', 'fee', 'returned'].map((name) => of(position, name));
    for (const { component, amount: value } of position)
      if (['held', 'paid', 'fee', 'returned'].includes(component)) expect(value.gte(0)).toBe(true);
    expect((returned as Decimal).lte(paid as Decimal)).toBe(true);
    // It is never taken twice, nor more than was agreed.
    expect(total([held, paid, fee] as Decimal[]).lte(terms.amount.plus(terms.fee))).toBe(true);
    if (terms.receivedCurrency === terms.currency) expect(of(position, 'fx').toFixed()).toBe('0');
  });
});

it('stands the same in the books, by whatever way it came there', () => {
  each((payout) => {
    const books = (status: string) =>
      JSON.stringify(positionOf({ ...payout, transfer: { ...payout.transfer, status } }));
    expect([...new Set(PAYOUT_STATUSES.map(books))]).toEqual([books(payout.transfer.status)]);
  });
});

it('comes to rest: the same word again moves nothing', () => {
  each((last) => {
    const { payout } = moved(last, {});
    const heard = payout.transfer.word;
    const again = moved(payout, heard ? { word: heard } : {});
    expect([again.path, again.payout.decisions.length]).toEqual([[], payout.decisions.length]);
    expect(JSON.stringify(positionOf(again.payout))).toBe(JSON.stringify(positionOf(payout)));
  });
});

it('has a status that is the party’s word, where that is possible', () => {
  each((payout) => {
    const { status, word: said } = effective(KIND, payout).transfer;
    if (said === null || !isCoherent(said)) return;
    const { impossible } = moved(payout, {});
    if (impossible === null)
      expect(said.status === 'failed' ? ['failed', 'returned'] : [said.status]).toContain(status);
  });
});

it.each(tables)('tells the owner what comes to the balance (table %#)', (table) => {
  fc.assert(
    fc.property(starts, steps, (terms, all) => {
      let payout = fresh(terms);
      let booked: Holding[] = [];
      let [balance, fold] = [ZERO, ZERO];
      for (const step of [null, ...all]) {
        if (step) payout = next(payout, step);
        const target = balanced(positionOf(payout), table);
        for (const change of differences(target, booked)) {
          const entry = entryOf({ ...change, reference: 'ref_1' }, table);
          if (change.account !== 'acc_1') continue;
          balance = balance.plus(entry.available).plus(entry.pending);
          if (!entry.listed) continue;
          const { available } = ACCOUNT_EFFECTS[`${entry.type}/${entry.subtype}` as AccountEffect];
          fold = fold.plus(entry.available.abs().times(available));
        }
        booked = target;
      }
      const [paid, fee, returned] = ['paid', 'fee', 'returned'].map((name) => of(booked, name)) as [
        Decimal,
        Decimal,
        Decimal,
      ];
      expect(fold.toFixed()).toBe(balance.toFixed());
      expect(balance.toFixed()).toBe(returned.minus(paid).minus(fee).toFixed());
    }),
    { numRuns: RUNS / 5 },
  );
});
