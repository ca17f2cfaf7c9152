import fc from 'fast-check';
import { Decimal, ZERO } from '../../../src/kernel/money/money';
import type { CardOrderWord } from '../../../src/parties/external-cards/word';
import { conclusionData } from '../../../src/transfers/engine/conclusion';
import { canonical, follow } from '../../../src/transfers/engine/follow';
import type { TransferKind } from '../../../src/transfers/engine/kind';
import type { Decision } from '../../../src/transfers/engine/record';
import {
  type CardTerms,
  type CardTransfer,
  concludedAs,
  failureOf,
  measuresOf,
  ordersOf,
  partsOf,
} from '../../../src/transfers/external-cards/order-rules';
import { EXTERNAL_CARD_KINDS, EXTERNAL_CARD_STATUSES } from '../../../src/transfers/external-cards/record';
import {
  chooseForTopup,
  TOPUP_COMPONENTS,
  TOPUP_TRANSITIONS,
  topupPosition,
  triggerOfTopup,
} from '../../../src/transfers/external-cards/topup-rules';
import {
  triggerOfWithdrawal,
  WITHDRAWAL_COMPONENTS,
  WITHDRAWAL_TRANSITIONS,
  withdrawalPosition,
} from '../../../src/transfers/external-cards/withdrawal-rules';
import {
  begun,
  bookedOn,
  type Played,
  play,
  RUNS,
  type Rules,
  START,
  type Step,
  shownPosition,
  step,
} from '../engine/played';

type CardRules = Rules<CardTerms, CardOrderWord>;

const BOTH = { failure: failureOf, measures: measuresOf, parts: partsOf, concluded: concludedAs };
const RULES: Record<(typeof EXTERNAL_CARD_KINDS)[number], CardRules> = {
  topup: {
    ...BOTH,
    name: 'card_topup',
    transitions: TOPUP_TRANSITIONS,
    components: TOPUP_COMPONENTS,
    choose: chooseForTopup,
    trigger: triggerOfTopup,
    position: topupPosition,
  },
  withdrawal: {
    ...BOTH,
    name: 'card_withdrawal',
    transitions: WITHDRAWAL_TRANSITIONS,
    components: WITHDRAWAL_COMPONENTS,
    choose: () => undefined,
    trigger: triggerOfWithdrawal,
    position: withdrawalPosition,
  },
};

const TERMS: CardTerms = {
  amount: new Decimal(100),
  fee: new Decimal('1.80'),
  currency: 'USD',
  actionExpiresAt: new Date(START.getTime() + 30 * 60_000),
};

const fresh = (): CardTransfer => begun<CardTerms, CardOrderWord>({ status: 'pending', terms: TERMS });

const word = (status: CardOrderWord['status'], moved: number, ...returns: number[]): CardOrderWord => ({
  status,
  moved: new Decimal(moved),
  returns: returns.map((amount, n) => ({ id: `r${n + 1}`, amount: new Decimal(amount) })),
});
/** With versions, so that each counts at once. */
const inTurn = (...words: CardOrderWord[]) => words.map((each, n) => ({ word: { ...each, version: n + 1 } }));
const told = (kind: keyof typeof RULES, ...words: CardOrderWord[]) =>
  play(RULES[kind], fresh(), inTurn(...words));

const decision = (kind: string, amount: number | null, data: Record<string, unknown> = {}): Decision => ({
  ...{
    id: `dec_${kind}_${amount}`,
    kind,
    currency: amount === null ? null : 'USD',
    accountId: 'acc_2',
    data,
  },
  ...{ amount: amount === null ? null : new Decimal(amount), reason: null, decidedBy: 'operator', at: START },
});

const REQUIRED = word('requires_action', 0);
const [PROCESSING, PUSHED] = [word('processing', 0), word('processing', 100)];
const [ARRIVED, FAILED] = [word('succeeded', 100), word('failed', 0)];
const BACK = word('succeeded', 100, 100);
const PART = word('succeeded', 100, 40);

describe('the states of a top-up', () => {
  it.each<[string, CardOrderWord[], string, string | null]>([
    ['completes', [PROCESSING, ARRIVED], 'completed', null],
    ['is confirmed by the payer', [REQUIRED, PROCESSING, ARRIVED], 'completed', null],
    ['is asked to be confirmed later', [PROCESSING, REQUIRED], 'requires_action', null],
    ['fails', [PROCESSING, FAILED], 'failed', null],
    ['is charged back', [ARRIVED, BACK], 'returned', null],
    ['is charged back before anybody looked', [PROCESSING, BACK], 'returned', null],
    ['is charged back in part', [ARRIVED, PART], 'returned', null],
    ['wins its chargeback', [ARRIVED, BACK, ARRIVED], 'completed', null],
    ['stays failed when it arrives late', [FAILED, ARRIVED], 'failed', null],
    ['is not processing again once it has failed', [FAILED, PROCESSING], 'failed', 'accepted'],
    ['does not arrive in part', [PROCESSING, word('succeeded', 40)], 'processing', 'short'],
    ['has not arrived after all', [ARRIVED, FAILED], 'returned', null],
    ['is charged back in part, and then fails', [ARRIVED, PART, FAILED], 'returned', null],
    ['is kept though it is said to have failed', [ARRIVED, word('failed', 100)], 'completed', 'kept'],
  ])('%s', (_, words, status, impossible) => {
    const { situation, last } = told('topup', ...words);
    expect([situation.transfer.status, last.impossible]).toEqual([status, impossible]);
  });
});

describe('the states of a withdrawal', () => {
  it.each<[string, CardOrderWord[], string, string | null]>([
    ['completes', [PUSHED, ARRIVED], 'completed', null],
    ['has not left while nothing has moved', [PROCESSING], 'pending', null],
    ['is failed when nothing has left', [PROCESSING, FAILED], 'failed', null],
    ['comes back when it fails after it left', [PUSHED, FAILED], 'returned', null],
    ['comes back', [ARRIVED, BACK], 'returned', null],
    ['comes back before anybody looked', [BACK], 'returned', null],
    ['comes back in part', [ARRIVED, PART], 'returned', null],
    ['comes back in part, and then fails', [ARRIVED, PART, FAILED], 'returned', null],
    ['comes back, and has arrived after all', [ARRIVED, BACK, ARRIVED], 'completed', null],
    ['leaves after it had failed', [FAILED, ARRIVED], 'completed', null],
    ['leaves and comes back after it had failed', [FAILED, BACK], 'returned', null],
    ['fails after it was completed', [ARRIVED, FAILED], 'returned', null],
    ['has not been unmoved', [ARRIVED, PROCESSING], 'completed', 'unmoved'],
    ['succeeds with nothing moved', [word('succeeded', 0)], 'pending', 'unmoved'],
    ['moves in part', [PROCESSING, word('succeeded', 40)], 'pending', 'short'],
  ])('%s', (_, words, status, impossible) => {
    const { situation, last } = told('withdrawal', ...words);
    expect([situation.transfer.status, last.impossible]).toEqual([status, impossible]);
  });
});

it.each(EXTERNAL_CARD_KINDS)(
  'a %s has one line for each status and trigger, between statuses of its own',
  (kind) => {
    const { transitions } = RULES[kind];
    const lines = transitions.map(({ from, on }) => `${from} ${on}`);
    expect(new Set(lines).size).toBe(lines.length);
    for (const { from, to } of transitions)
      for (const status of [from, to]) expect(EXTERNAL_CARD_STATUSES).toContain(status);
  },
);

it.each(EXTERNAL_CARD_KINDS)(
  'a %s that is refused has failed with the acquirer’s code, and is not ordered again',
  (kind) => {
    expect(ordersOf(fresh())).toEqual([{ key: 'rec_1', what: 'open' }]);
    const { situation, position } = play(RULES[kind], fresh(), [
      { decide: decision('refused', null, { key: 'rec_1', code: 'unknown_token' }) },
    ]);
    expect([situation.transfer.status, situation.transfer.failure, position]).toEqual([
      'failed',
      'unknown_token',
      [],
    ]);
    expect(ordersOf(situation)).toEqual([]);
  },
);

/** Where the old steps lost money: what is booked is the acquirer's position, by whatever way it came there. */
describe('a late word', () => {
  it.each<[string, keyof typeof RULES, CardOrderWord[], Record<string, number>]>([
    ['of a failed top-up that arrives', 'topup', [FAILED, ARRIVED], { deposits: -100, suspense: 100 }],
    ['of one that then fails after all', 'topup', [FAILED, ARRIVED, FAILED], {}],
    ['of one that is then charged back', 'topup', [FAILED, ARRIVED, PART], { deposits: -60, suspense: 60 }],
    ['of a top-up returned in part that fails', 'topup', [ARRIVED, PART, FAILED], {}],
    [
      'of a withdrawal returned in part that arrives',
      'withdrawal',
      [ARRIVED, PART, ARRIVED],
      { paid: 100, fee: 1.8, fees: 1.8, payouts: 100 },
    ],
    ['of a withdrawal returned in part that fails', 'withdrawal', [ARRIVED, PART, FAILED], {}],
    [
      'of a failed withdrawal that leaves',
      'withdrawal',
      [FAILED, PUSHED],
      { paid: 100, fee: 1.8, fees: 1.8, payouts: 100 },
    ],
  ])('%s is booked', (_, kind, words, expected) => {
    expect(shownPosition(told(kind, ...words).position)).toEqual(expected);
  });

  it('without a version that takes something back counts when it is read again a minute later', () => {
    const before = play(RULES.topup, fresh(), [{ word: ARRIVED }, { word: BACK }]);
    const stale = step(RULES.topup, before.situation, { word: ARRIVED });
    expect([stale.situation.transfer.status, stale.position]).toEqual(['returned', before.position]);
    const again = play(RULES.topup, stale.situation, [{ minutes: 1 }, { word: ARRIVED }]);
    expect(again.situation.transfer.status).toBe('completed');
  });

  it('that is older than what was applied is dropped', () => {
    const before = play(RULES.topup, fresh(), [{ word: { ...BACK, version: 7 } }]);
    const after = step(RULES.topup, before.situation, { word: { ...ARRIVED, version: 6 } });
    expect([after.situation.transfer.status, after.position]).toEqual(['returned', before.position]);
  });
});

it('each chargeback takes its exact share, the last the rest, and won back gives the same again', () => {
  const thirds = word('succeeded', 100, 33.33, 33.33, 33.34);
  const { position } = told('topup', ARRIVED, thirds);
  expect(bookedOn(position, 'chargedBack').toFixed(2)).toBe('98.20');
  expect(bookedOn(position, 'fees').toFixed()).toBe('0');
  expect(told('topup', ARRIVED, thirds, ARRIVED).position).toEqual(told('topup', ARRIVED).position);
});

// Proof -----------------------------------------------------------------------------------------------------------

const amounts = fc
  .constantFrom(0, 0, 40, 99.99, 100, 100, 100, 100, 100.01, 150)
  .map((amount) => new Decimal(amount));

/** Whatever an acquirer could say: contradictory, withdrawn, stale, the same name twice. */
const words: fc.Arbitrary<CardOrderWord> = fc
  .record({
    version: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    status: fc.constantFrom('requires_action', 'processing', 'succeeded', 'succeeded', 'failed'),
    failureCode: fc.constantFrom(undefined, 'card_declined'),
    moved: amounts,
    returns: fc.array(
      fc.record({
        id: fc.constantFrom('r1', 'r2', 'r3'),
        amount: fc.constantFrom(0.01, 25, 33.33, 60, 100, 250).map((amount) => new Decimal(amount)),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ version, returns, ...rest }) => ({
    ...rest,
    ...(version === undefined ? {} : { version }),
    returns,
  }));

const plain = words.map((each) => ({ ...each, returns: [] }));

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.oneof(words, plain).map((each) => ({ word: each })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(['credit', 40], ['write_off', 40], ['write_off', -40], ['recover', -40])
        .map(([door, amount]) => ({ decide: decision(`suspense_${door}`, amount as number) })),
    },
    {
      weight: 1,
      arbitrary: fc.constant({ decide: decision('refused', null, { key: 'rec_1', code: 'no' }) }),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('paid' as const, 'failed' as const).map((as) => ({ conclude: as })),
    },
    { weight: 2, arbitrary: fc.constant({ minutes: 2 }) },
  ),
  { minLength: 1, maxLength: 12 },
);

type Given = Step<CardOrderWord> | { conclude: 'paid' | 'failed' };

function playAll(rules: CardRules, all: readonly Given[]): Played<CardTerms, CardOrderWord> {
  let played = play(rules, fresh(), []);
  for (const given of all) {
    const { situation } = played;
    const taken =
      'conclude' in given
        ? { decide: decision('conclude', null, conclusionData(given.conclude, situation)) }
        : given;
    played = step(rules, situation, taken);
  }
  return played;
}

/** What the acquirer itself would say that it has of ours, or we of it. */
const positionOfParty = (counts: CardOrderWord | null): Decimal =>
  (counts?.returns ?? []).reduce((sum, { amount }) => sum.minus(amount), counts?.moved ?? ZERO);

const PARTY = { topup: 'deposits', withdrawal: 'payouts' } as const;

describe.each(EXTERNAL_CARD_KINDS)('whatever the acquirer says and whoever decides what, a %s', (kind) => {
  const rules = RULES[kind];

  it('holds in the books what the acquirer has of ours or we of it, and takes of nobody what he has not', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { counts, position } = playAll(rules, all);
        const owed = positionOfParty(counts.transfer.word);
        const expected = kind === 'topup' ? owed.negated() : owed;
        expect(bookedOn(position, PARTY[kind]).toFixed()).toBe(expected.toFixed());
        const [up, down] = kind === 'topup' ? ['credited', 'chargedBack'] : ['paid', 'returned'];
        expect(bookedOn(position, down).lte(bookedOn(position, up))).toBe(true);
        const below = [up, down, 'held', 'fee', 'fees'].filter((component) =>
          bookedOn(position, component).lt(0),
        );
        expect(below).toEqual([]);
        expect(bookedOn(position, 'fx').toFixed()).toBe('0');
      }),
      { numRuns: RUNS },
    );
  });

  it('has the status that its books have, unless a break says that the word contradicts itself', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { counts, position, last } = playAll(rules, all);
        if (last.impossible !== null) return;
        const of = (component: string) => bookedOn(position, component).toNumber();
        const { status } = counts.transfer;
        const seen =
          kind === 'topup' ? [of('credited'), of('chargedBack')] : [of('paid'), of('returned'), of('held')];
        const expected: Record<string, readonly number[]> =
          kind === 'topup'
            ? {
                completed: [98.2, 0],
                failed: [0, 0],
                pending: [0, 0],
                requires_action: [0, 0],
                processing: [0, 0],
              }
            : {
                ...{ completed: [100, 0, 0], failed: [0, 0, 0], processing: [100, 0, 0] },
                ...{ pending: [0, 0, 101.8], requires_action: [0, 0, 101.8] },
              };
        if (status !== 'returned') expect([status, seen]).toEqual([status, expected[status]]);
        else
          expect(
            kind === 'topup' ? seen[0] === 98.2 && seen[1] === 0 : (seen[0] as number) > 0 && seen[1] === 0,
          ).toBe(false);
      }),
      { numRuns: RUNS },
    );
  });

  it('comes to rest, and its books know nothing of the way', () => {
    fc.assert(
      fc.property(steps, fc.constantFrom(...EXTERNAL_CARD_STATUSES), (all, status) => {
        const { counts, position } = playAll(rules, all);
        const again = follow(rules as unknown as TransferKind<CardTerms, CardOrderWord>, counts);
        expect([again.chosen, again.path]).toEqual([[], []]);
        const elsewhere = { ...counts.transfer, status, reached: {}, failure: null };
        expect(canonical(rules.position({ ...counts, transfer: elsewhere }))).toBe(
          canonical(rules.position(counts)),
        );
        expect(position.every(({ amount }) => !amount.isZero())).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });
});
