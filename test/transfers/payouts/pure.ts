import { Decimal, ZERO } from '../../../src/kernel/money/money';
import type { PayoutWord } from '../../../src/parties/payouts/word';
import { type Holding } from '../../../src/transfers/engine/books/position';
import { effective } from '../../../src/transfers/engine/conclusion';
import { DOUBT_MS } from '../../../src/transfers/engine/follow';
import type { Decision } from '../../../src/transfers/engine/record';
import { payoutKind } from '../../../src/transfers/payouts/kind';
import { closingOf } from '../../../src/transfers/payouts/position';
import { type Payout, type PayoutTerms } from '../../../src/transfers/payouts/record';
import { begun, look, START } from '../engine/look';

export { START } from '../engine/look';

export const KIND = payoutKind;

export const TERMS: PayoutTerms = {
  method: 'sepa',
  currency: 'EUR',
  receivedCurrency: 'EUR',
  needsApproval: false,
  amount: new Decimal(100),
  fee: new Decimal('0.35'),
  receivedAmount: new Decimal(100),
  rate: new Decimal(1),
};
export const IN_DOLLARS: PayoutTerms = {
  ...TERMS,
  method: 'swift',
  receivedCurrency: 'USD',
  receivedAmount: new Decimal('107.89'),
  rate: new Decimal('1.07892'),
};

export const fresh = (terms: PayoutTerms = TERMS): Payout =>
  begun<PayoutTerms, PayoutWord>({
    id: 'pay_1',
    kind: 'payout',
    status: 'created',
    terms,
    partyRef: 'payout-pay_1',
  });

export const amount = (value: number | string) => new Decimal(value);
let decisions = 0;
export const decision = (kind: string, given: Partial<Decision> = {}): Decision => ({
  id: `dec_${(decisions += 1)}`,
  kind,
  amount: null,
  currency: null,
  accountId: null,
  data: {},
  reason: null,
  decidedBy: 'operator',
  at: START,
  ...given,
});

export const word = (
  status: PayoutWord['status'],
  sent = 0,
  returns: Record<string, number> = {},
): PayoutWord => ({
  status,
  sent: amount(sent),
  returns: Object.entries(returns).map(([id, value]) => ({ id, amount: amount(value) })),
});

export interface Moved {
  payout: Payout;
  path: string[];
  impossible: string | null;
}

/** Makes one step. */
export function moved(
  before: Payout,
  { word: said, decide, closed }: { word?: PayoutWord; decide?: Decision; closed?: boolean },
): Moved {
  const brought = { word: said, decided: decide && [decide], consider: closed ? asClosed : undefined };
  const { situation, path, impossible } = look(KIND, before, brought);
  return { payout: situation, path: path.map(({ on }) => on), impossible };
}

const asClosed = (now: Payout, before: Payout) => closingOf(before, now);

export const later = (payout: Payout, ms: number): Payout => ({
  ...payout,
  at: new Date(payout.at.getTime() + ms),
});

/** Orders a payout and plays the words, each read twice a minute apart. */
export function through(...words: (PayoutWord | Decision)[]): Moved {
  let last = moved(fresh(), {});
  for (const each of words)
    for (const wait of [0, DOUBT_MS]) {
      const at = later(last.payout, wait);
      const known = 'decidedBy' in each && at.decisions.includes(each);
      last = moved(at, known ? {} : 'decidedBy' in each ? { decide: each } : { word: each });
    }
  return last;
}

export const positionOf = (payout: Payout) => KIND.position(effective(KIND, payout));
export const shown = (payout: Payout) =>
  Object.fromEntries(
    positionOf(payout)
      .filter((holding) => !holding.amount.isZero())
      .map(({ component, amount: value }) => [component, value.toNumber()]),
  );

export const total = (all: Decimal[]) => all.reduce((sum, value) => sum.plus(value), ZERO);
export const of = (position: readonly Holding[], component: string, currency?: string) =>
  total(
    position
      .filter((each) => each.component === component && (currency ?? each.currency) === each.currency)
      .map((each) => each.amount),
  );
